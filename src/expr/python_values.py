#!/usr/bin/env python3
"""Writes python_values.inc: random expressions of the manifest language with the values that Python gives them.

    python3 python_values.py > python_values.inc

The names a b c d s t p q have the values below, in expr_test.cpp too. Only expressions without an error are kept.
"""
import math, random

NAMES = {"a": 7.0, "b": -3.0, "c": 0.5, "d": 4096.0, "s": [2, 3, 64], "t": [5], "p": True, "q": False, "true": True, "false": False,
         "min": min, "max": max, "ceilDiv": lambda x, y: -((-x) // y), "numel": lambda s: math.prod(s), "dim": lambda s, i: s[int(i)],
         "pow2ceil": lambda n: 1 << max(0, (int(math.ceil(n)) - 1).bit_length())}


def number(r, depth):
    k = r.randrange(14) if depth > 0 else r.randrange(4)
    n = lambda: number(r, depth - 1)
    if k == 0: return str(r.choice([0, 1, 2, 3, 4, 16, 31, 32, 33, 64, 1000, 65535]))
    if k in (1, 2): return r.choice("abcd")
    if k == 3: return r.choice(["0.25", "1.5", "2e3", ".5"])
    if k == 4: return f"({n()} {r.choice('+-*')} {n()})"
    if k == 5: return f"{n()} {r.choice('+-*/%')} {n()}"
    if k == 6: return f"{n()} % {n()}"
    if k == 7: return f"-{n()}"
    if k == 8: return f"ceilDiv({n()}, {n()})"
    if k == 9: return f"{r.choice(['min', 'max'])}({n()}, {n()}, {n()})"
    if k == 10: return f"({n()} if {boolean(r, depth - 1)} else {n()})"
    if k == 11: return f"numel({shape(r, depth - 1)})"
    if k == 12: return f"dim({shape(r, depth - 1)}, {r.choice(['0', '-1', '1', '2'])})"
    return f"pow2ceil({n()})"


def boolean(r, depth):
    k = r.randrange(8) if depth > 0 else r.randrange(2)
    if k < 2: return r.choice(["p", "q", "true", "false"])
    if k < 5: return f"{number(r, depth - 1)} {r.choice(['==', '!=', '<', '<=', '>', '>='])} {number(r, depth - 1)}"
    if k == 5: return f"not {boolean(r, depth - 1)}"
    if k == 6: return f"({boolean(r, depth - 1)} and {boolean(r, depth - 1)})"
    return f"{boolean(r, depth - 1)} or {boolean(r, depth - 1)}"


def shape(r, depth):
    k = r.randrange(6) if depth > 0 else 0
    if k < 2: return r.choice("st")
    if k == 2: return f"s[{r.choice(['', '0', '1', '-1', '-2', '-9'])}:{r.choice(['', '0', '1', '2', '-1', '9'])}]"
    if k == 3: return f"[{number(r, depth - 1)}, {number(r, depth - 1)}]"
    return f"{r.choice('st')} + {r.choice('st')}" if k == 4 else f"{shape(r, depth - 1)}[:-1]"


def main():
    r = random.Random(20261130)
    count = 0
    while count < 400:
        text = number(r, 4) if r.random() < 0.7 else boolean(r, 4)
        if len(text) > 160: continue
        try:
            value = eval(text, {"__builtins__": {}}, NAMES)
        except (ZeroDivisionError, IndexError, OverflowError, TypeError, ValueError):
            continue
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not abs(float(value)) < 2**53: continue
        print(f'{{"{text}", {float(value)!r}}},')
        count += 1


main()
