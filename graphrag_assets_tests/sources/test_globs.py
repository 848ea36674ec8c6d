import pytest

from graphrag_assets.sources.globs import compile_globs


@pytest.mark.parametrize(
    ("pattern", "taken", "left"),
    [
        ("**/*", ["a.md", "x/a.md", "x/y/a.md"], []),
        ("*.md", ["a.md"], ["x/a.md", "a.mdx", "amd"]),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt"]),
        ("drafts/**", ["drafts/a.md", "drafts/x/a.md"], ["a.md", "x/drafts/a.md"]),
        ("x/**/z.md", ["x/z.md", "x/y/z.md", "x/y/y/z.md"], ["z.md", "xz.md", "x/yz.md"]),
        ("?.md", ["a.md"], ["ab.md", ".md", "/.md"]),
        ("[ab].md", ["a.md", "b.md"], ["c.md", "ab.md"]),
        ("[!ab].md", ["c.md"], ["a.md", "/.md"]),
        ("[a-c]x", ["bx"], ["dx", "-x"]),
        ("notes [final", ["notes [final"], ["notes f"]),
        ("a+b(1).md", ["a+b(1).md"], ["aab1.md"]),
        ("Cafe\u0301.md", ["Caf\u00e9.md"], ["Cafe.md"]),
        ("*", ["line\nbreak"], ["a/b"]),
    ],
)
def test_a_pattern_takes_whole_paths(pattern: str, taken: list[str], left: list[str]) -> None:
    compiled = compile_globs([pattern])
    assert [name for name in taken + left if compiled.fullmatch(name)] == taken


def test_several_patterns_take_what_any_of_them_takes() -> None:
    compiled = compile_globs(["*.md", "*.txt"])
    assert [bool(compiled.fullmatch(name)) for name in ("a.md", "a.txt", "a.pdf")] == [True, True, False]


def test_no_pattern_takes_nothing() -> None:
    assert not compile_globs([]).fullmatch("")
