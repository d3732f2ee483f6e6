// SPDX-License-Identifier: MIT
// D: a class, a delegate, foreach, scope guards, an exception.
//- -static
import core.stdc.stdio;

class Counter
{
    int total;
    pragma(inline, false) pragma(mangle, "add") void add(int n) { total += n; }
}

pragma(inline, false) pragma(mangle, "each") int each(int[] all, scope int delegate(int) what)
{
    int sum;
    foreach (n; all)
        sum += what(n);
    return sum;
}

pragma(inline, false) pragma(mangle, "fails") void fails(Counter c, int n)
{
    scope (exit) c.add(1);
    if (n == 0)
        throw new Exception("deep");
    fails(c, n - 1);
}

extern (C) int main()
{
    import core.runtime;
    Runtime.initialize();
    auto c = new Counter;
    int sum = each([1, 2, 3], (int n) { c.add(n); return n * 2; });
    try
        fails(c, 1);
    catch (Exception)
        sum += 100;
    printf("%d %d\n", sum, c.total);
    Runtime.terminate();
    return 0;
}
//= 112 8
//> main
//>   each
//>     add
//>     add
//>     add
//>   fails ^
//>     fails ^
//>       add
//>     add
