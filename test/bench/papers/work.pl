# SPDX-License-Identifier: MIT
# A day's work for perl: reads a text and reports on it.  Regular expressions, hashes, sorting,
# formats, closures, objects, string and number work.  The same output on every run.
use strict;
use warnings;

open(my $in, '<:raw', $ARGV[0]) or die "$ARGV[0]: $!\n";
my @lines = <$in>;
close $in;

# Words by frequency, then alphabet.
my %count;
for (@lines) {
    $count{$1}++ while /([A-Za-z_]\w*)/g;
}
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
printf "%7d %s\n", $count{$_}, $_ for @words[0 .. ($#words < 19 ? $#words : 19)];

# A tokenizer of C.
my %kind;
my $text = join '', @lines[0 .. @lines / 4];
for ($text) {
    while (1) {
        if    (/\G\s+/gc)                       { next }
        elsif (m{\G/\*.*?\*/}gcs)               { $kind{comment}++ }
        elsif (/\G[A-Za-z_]\w*/gc)              { $kind{word}++ }
        elsif (/\G(?:0x[0-9a-f]+|\d+)/gci)      { $kind{number}++ }
        elsif (/\G"(?:[^"\\\n]|\\.)*"/gcs)      { $kind{string}++ }
        elsif (/\G(?:->|\+\+|--|&&|\|\||[<>=!]=)/gc) { $kind{operator}++ }
        elsif (/\G./gcs)                        { $kind{other}++ }
        else                                    { last }
    }
}
print "$_ $kind{$_}\n" for sort keys %kind;

# Declarations, rewritten.
my %field;
for (@lines) {
    next unless /^\s*(?:static\s+|extern\s+)?(\w+)\s+\**(\w+)\s*[;(]/;
    push @{ $field{$1} }, lc $2;
}
for my $type (sort { @{ $field{$b} } <=> @{ $field{$a} } || $a cmp $b } keys %field) {
    my @names = sort @{ $field{$type} };
    printf "%-20.20s %5d %s\n", $type, scalar @names, join ',', map { ucfirst } @names[0 .. ($#names < 2 ? $#names : 2)];
    last if @names < 20;
}

# A heap as an object.
package Heap;
sub new { bless { n => 0, item => [] }, shift }
sub push {
    my ($self, $x) = @_;
    my ($i, $item) = (++$self->{n}, $self->{item});
    while ($i > 1 && $item->[$i >> 1] > $x) {
        $item->[$i] = $item->[$i >> 1];
        $i >>= 1;
    }
    $item->[$i] = $x;
}
sub pop {
    my ($self) = @_;
    my $item = $self->{item};
    my ($top, $last, $i) = ($item->[1], $item->[ $self->{n}-- ], 1);
    while (2 * $i <= $self->{n}) {
        my $child = 2 * $i;
        $child++ if $child < $self->{n} && $item->[ $child + 1 ] < $item->[$child];
        last if $last <= $item->[$child];
        $item->[$i] = $item->[$child];
        $i = $child;
    }
    $item->[$i] = $last;
    return $top;
}

package main;
my ($heap, $seed, $sum) = (Heap->new, 12345, 0);
my $scale = int(@lines / 2);
for (1 .. $scale) {
    $seed = ($seed * 16807) % 2147483647;
    $heap->push($seed);
}
$sum = ($sum * 31 + $heap->pop) % 1000003 for 1 .. $scale;
print "heap $sum\n";

# Lines with their words turned round, in order.
my %seen;
my @turned = sort grep { !$seen{$_}++ } map { join ' ', reverse split } @lines;
printf "lines %d, %d bytes\n", scalar @turned, length join '', @turned;

# Checksums, closures, errors.
my $packed = 0;
$packed = ($packed + unpack('%32C*', $_)) & 0xffffffff for @lines;
my @adders = map { my $n = $_; sub { $_[0] + $n } } 1 .. 10;
my $caught = 0;
for my $i (1 .. $scale) {
    my $x = eval {
        die { code => $i } if $i % 3 == 0;
        $adders[ $i % 10 ]->($i);
    };
    $caught += ref $@ ? $@->{code} : $x;
}
print "checksum $packed, caught $caught\n";
