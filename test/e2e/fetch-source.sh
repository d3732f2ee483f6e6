#!/bin/bash
# SPDX-License-Identifier: MIT
# scripts/fetch-source with an apt without network: the mirror has lost the newest version,
# several calls run at once, a package does not exist.
. "$(dirname "$0")/lib.sh"

command -v dpkg-source > /dev/null || { skip 'there is no dpkg-source'; done_testing; }

mkdir "$T/bin"
# The mirror lists thing 1, 2 and 10, and has 1 and 2.
cat > "$T/bin/apt-get" <<'END'
#!/bin/sh
echo "apt-get $*" >> "$CALLS"
for last do :; done
case $last in
update) exit 0 ;;
thing=2) echo 2 > thing_2.dsc ;;
thing=1) echo 1 > thing_1.dsc ;;
thing|thing=10) touch thing_10.tar; echo 'E: Failed to fetch some archives.' >&2; exit 100 ;;
*) echo "E: Unable to find a source package for $last" >&2; exit 100 ;;
esac
END
cat > "$T/bin/apt-cache" <<'END'
#!/bin/sh
for last do :; done
[ "$last" != thing ] || printf 'Package: thing\nVersion: %s\n' 2 10 1
END
# dpkg-source --no-copy -x DSC TREE, slowly
cat > "$T/bin/dpkg-source" <<'END'
#!/bin/sh
sleep 0.2
mkdir "$4" && cp "$3" "$4/version"
END
chmod +x "$T"/bin/*
export CALLS=$T/calls
fetch() {
    PATH=$T/bin:$PATH "$ROOT/scripts/fetch-source" "$1" "$T/a store"
}

fetch thing > "$T/first" 2>&1 &
fetch thing > "$T/second" 2>&1 &
wait
is 'two calls at once find one tree' "$(cat "$T/first" "$T/second" | sort -u)" "$T/a store/thing"
is 'the newest version that the mirror has' "$(cat "$T/a store/thing/version")" 2
is 'which one of them has fetched' "$(grep -c 'thing=2' "$CALLS")" 1
is 'nothing else is left' "$(ls "$T/a store")" thing
fails 'a package that there is not' fetch other
like 'apt says so' "$(cat "$T/err")" 'package other: E: Unable to find a source package for other$'
done_testing
