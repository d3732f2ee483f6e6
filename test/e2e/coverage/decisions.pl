# SPDX-License-Identifier: MIT
# decisions.pl SEED LEAF: writes prog.c, 25 functions with a random decision each, whose conditions are LEAF(i).
#
# Prints the vectors of all decisions, with executions, `f3 TF-T F 2`, and which of their conditions are shown,
# `f3 shown 1011`, and how many values of them decided, `f3 decided 5`.
($state, $leaf) = @ARGV;
sub below { $state = ($state * 1103515245 + 12345) % 2147483648; return int($state / 65536) % $_[0] }
# A tree: [number, negated] or [operator, left, right].
sub tree { my ($n) = @_;
    return [$leaves++, below(4) == 0] if $n == 1;
    my $left = 1 + below($n - 1);
    return [below(2) ? "&&" : "||", tree($left), tree($n - $left)] }
sub text { my ($t, $last) = @_;
    return ($t->[1] ? "!" : "") . "$leaf($t->[0])" if @$t == 2;
    return "(" . text($t->[1]) . (below(5) ? " " : "\n        ") . "$t->[0] " . text($t->[2]) . ")" }
sub value { my ($t, $v, $vector) = @_;
    if (@$t == 2) { my $is = $v->[$t->[0]] != $t->[1]; substr($$vector, $t->[0], 1) = $is ? "T" : "F"; return $is }
    my $left = value($t->[1], $v, $vector);
    return $left if $left == ($t->[0] eq "||");
    return value($t->[2], $v, $vector) }
open $c, ">", "prog.c";
print $c "volatile int v[16], hits, misses;\n__attribute__((noinline)) static int call(int i) { return v[i]; }\n#define read(i) v[i]\n";
for $f (0 .. 24) {
    $leaves = 0; $tree[$f] = tree(1 + below(9)); $n[$f] = $leaves;
    print $c "void f$f(void)\n{\n    if (", text($tree[$f]), ")\n        hits++;\n    else\n        misses++;\n}\n";
}
print $c "int main(void)\n{\n";
for $round (0 .. 6) {
    for (0 .. 15) { $v[$_] = below(2); print $c "    v[$_] = $v[$_];\n" }
    for $f (0 .. 24) {
        next if below(3) == 0;
        print $c "    f$f();\n";
        $vector = "-" x $n[$f]; $outcome = value($tree[$f], \@v, \$vector);
        $count{"f$f $vector " . ($outcome ? "T" : "F")}++;
    }
}
print $c "    return 0;\n}\n";
# All that there are, and what the executed ones show.
for $f (0 .. 24) {
    %all = ();
    for $bits (0 .. (1 << $n[$f]) - 1) {
        @w = map { $bits >> $_ & 1 } 0 .. $n[$f] - 1;
        $vector = "-" x $n[$f]; $outcome = value($tree[$f], \@w, \$vector);
        $all{"f$f $vector " . ($outcome ? "T" : "F")} = 1;
    }
    print "$_ ", $count{$_} // 0, "\n" for keys %all;
    $shown = "";
    for $i (0 .. $n[$f] - 1) {
        $is = 0;
        for $a (grep { $count{$_} } keys %all) { for $b (grep { $count{$_} } keys %all) {
            ($x, $p) = (split / /, $a)[1, 2]; ($y, $q) = (split / /, $b)[1, 2];
            next if $p eq $q || (substr($x, $i, 1) . substr($y, $i, 1)) !~ /TF|FT/;
            $is ||= !grep { $_ != $i && (substr($x, $_, 1) . substr($y, $_, 1)) =~ /TF|FT/ } 0 .. length($x) - 1;
        } }
        $shown .= $is ? 1 : 0;
    }
    print "f$f shown $shown\n";
    # Values of conditions that decided: with the opposite value, and all others that were evaluated as they were, the
    # outcome could have been the opposite.
    %decided = ();
    for $bits (0 .. (1 << $n[$f]) - 1) {
        @w = map { $bits >> $_ & 1 } 0 .. $n[$f] - 1;
        $vector = "-" x $n[$f]; $outcome = value($tree[$f], \@w, \$vector) ? "T" : "F";
        for $a (grep { $count{$_} } keys %all) {
            ($x, $p) = (split / /, $a)[1, 2];
            next if $p eq $outcome;
            @differ = grep { (substr($x, $_, 1) . substr($vector, $_, 1)) =~ /TF|FT/ } 0 .. length($x) - 1;
            $decided{$differ[0] . substr($x, $differ[0], 1)} = 1 if @differ == 1;
        }
    }
    print "f$f decided ", scalar(keys %decided), "\n";
}
