# SPDX-License-Identifier: MIT
# engine-arrays.sh: token arrays of the real programs at -O2, recorded by our own tracer.
#
#     make_array NAME    $T/NAME: the first $tokens tokens of program NAME, as 32-bit words
#     make_arrays NAME.. the same for each; `made` lists those that worked, and the others
#                        are named on stderr
#
# An array is kept under $REAL/tokens until the plugin or the runtime changes.  Expects
# ROOT, BUILD, T (a folder for temporary files), tokens, and test/real/programs.sh.

make_array() {
    local name=$1 array=$REAL/tokens/$1.$tokens command

    if ! is_current "$array"; then
        real_input "$name" full
        real_build "$name" wpp-gcc -O2 "$REAL/${BUILD##*/}-O2/$name" || return 1
        real_command "$name" "$REAL/${BUILD##*/}-O2/$name/$name" full
        mkdir -p "$REAL/tokens"
        (cd "$T" && WPP_OUT="$T/trace" "${command[@]}" > out 2> err) || return 1
        "$BUILD/test/read-tokens" "$T/trace" | head -c $((4 * tokens)) > "$array.new"
        [ -s "$array.new" ] || return 1
        rm -f "$T/run.db" "$T/trace" "$T/out" "$T/err"
        mv "$array.new" "$array"
    fi
    ln -sf "$array" "$T/$name"
}

make_arrays() {
    local name

    made=
    for name; do
        if make_array "$name"; then
            made="$made $name"
        else
            echo "no tokens of $name" >&2
        fi
    done
}
