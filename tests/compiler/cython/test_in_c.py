"""Parts of large engines are C at once: the same meaning as Cython's, and what is not understood is left to Cython."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import grognard
import pytest
import test_bitboards
from engines import engine_for
from grognard.compiler.build import build
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython import modules
from grognard.compiler.cython.c_expressions import NotInC, condition_in_c, value_in_c
from grognard.compiler.cython.in_c import routine_in_c, tree_of
from grognard.compiler.cython.modules import emit_sources
from small_titles import write_small_title


@pytest.mark.parametrize(
    ("cython", "c"),
    [
        ("ctx.s[off[F_x] + 1]", "ctx->s[off[F_x] + 1]"),
        ("line2.item[i3].kind", "line2.item[i3].kind"),
        ("<int32_t>i5", "(int32_t)i5"),
        ("<grog_array *>(ctx.fixed + 463)", "(grog_array *)(ctx->fixed + 463)"),
        ("f(&x, -0, q.place)", "f(&x, -0, q->place)"),
        # `not` binds less tightly than `==`, bits more.
        ("not a == b", "!(a == b)"),
        ("a & b == c", "(a & b) == c"),
        ("a == b | c", "a == (b | c)"),
        ("a - -1", "a - -1"),
        ("a // b", "a / b"),
        ("(1 if not a else b + 1)", "(((!a) ? 1 : (b + 1)))"),
        ("(a == 1 and b < 2) != 0", "((a == 1) && (b < 2)) != 0"),
        ("(a and b) != 0", "(a && b) != 0"),
        ("True", "1"),
    ],
)
def test_expressions(cython: str, c: str) -> None:
    assert value_in_c(cython, {"ctx", "q"}) == c


@pytest.mark.parametrize(
    "text", ["a or b", "f(a and b)", "a < b < c", "a / b", "x in y", "a ** 2", "'a'", "[1]", "a b"]
)
def test_what_c_reads_otherwise_is_refused(text: str) -> None:
    with pytest.raises(NotInC):
        value_in_c(text, ())


def test_a_condition_may_be_any_of_several() -> None:
    assert condition_in_c("a or not b and ctx.fail", {"ctx"}) == "a || ((!b) && ctx->fail)"


def test_statements() -> None:
    text = """
while True:
    for i in range(2, n):
        x += 1
        if x == 3:
            break
        elif not y:
            pass
    cdef int32_t *p = &x
    p.a[0] = 1
"""
    assert (
        "\n".join(routine_in_c("grog_ctx *ctx", tree_of(text)))
        == """\
    while (1) {
        {int64_t end_1 = n;
        for (int64_t at_1 = 2; at_1 < end_1; at_1++) {
            i = at_1;
            x += 1;
            if (x == 3) {
                break;
            }
            else if (!y) {
                ;
            }
        }}
        int32_t *p = &x;
        p->a[0] = 1;
    }"""
    )


@pytest.mark.parametrize("title", ["mbt", "europe_1940"])
def test_no_part_of_a_shipped_title_is_left_to_cython(title: str) -> None:
    names = [source.name for source in emit_sources(engine_for(title, "interpreter").ruleset.program)]
    assert [name for name in names if not name.endswith(".c")] == ["grognard_engine.pyx"] and len(names) > 5


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
def test_a_part_that_is_refused_is_cythons(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files of both kinds in one engine play as the interpreter does."""
    calls = 0

    def every_other(params: str, body: object) -> list[str]:
        nonlocal calls
        calls += 1
        if calls % 7 == 3:
            raise NotInC("on a whim")
        return routine_in_c(params, body)  # type: ignore[arg-type]

    monkeypatch.setenv("GROGNARD_QUICK", "1")
    monkeypatch.setattr(modules, "routine_in_c", every_other)
    monkeypatch.setattr(build, "emit_sources", partial(emit_sources, part_lines=60))
    folder = write_small_title(tmp_path / "sowing", test_bitboards.SOWING, 7, 9)
    engine = grognard.load(str(folder), backend="compiled")
    files = [source.name for source in build.emit_sources(engine.ruleset.program)]
    assert {name.rpartition(".")[2] for name in files if name != "grognard_engine.pyx"} == {"c", "pyx"}
    report = grognard.compare_backends(engine.ruleset, games=3, seed=5, max_answers=60)
    assert report.agree, str(report)
