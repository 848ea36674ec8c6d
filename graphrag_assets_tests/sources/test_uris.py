import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.model.errors import UsageError
from graphrag_assets.sources.uris import file_uri, normalise_uri, text_uri


@pytest.mark.parametrize(
    ("uri", "normalised"),
    [
        ("HTTP://Example.COM:80/A/b?Q=1#F", "http://example.com/A/b?Q=1#F"),
        ("https://example.com:443", "https://example.com"),
        ("https://Example.com:8443/x", "https://example.com:8443/x"),
        ("https://User:Pw@Example.com:/x", "https://User:Pw@example.com/x"),
        ("HTTP://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
        ("FILE:///Home/Notes.md", "file:///Home/Notes.md"),
        ("docs:/A%20b.md", "docs:/A%20b.md"),
        ("TEXT:Note 7", "text:Note 7"),
    ],
)
def test_scheme_and_host_are_lower_cased_and_a_default_port_goes(uri: str, normalised: str) -> None:
    assert normalise_uri(uri) == normalised
    assert normalise_uri(normalised) == normalised


@pytest.mark.parametrize("uri", ["", "no scheme", "http:", "1http://x", "http://a:b:c/x"])
def test_what_is_no_uri_is_refused_by_name(uri: str) -> None:
    with pytest.raises(UsageError) as raised:
        normalise_uri(uri)
    assert raised.value.code == "invalid-uri"
    assert repr(uri) in raised.value.message


def test_a_text_source_is_named_by_its_id() -> None:
    assert text_uri("note-7") == "text:note-7"


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("a/b-c_d.e~f.md", "docs:/a/b-c_d.e~f.md"),
        ("notes [final] 100%.md", "docs:/notes%20%5Bfinal%5D%20100%25.md"),
        ("Q#1?.md", "docs:/Q%231%3F.md"),
        ("Cafe\u0301.md", "docs:/Caf%C3%A9.md"),
        ("broken\udcff.md", "docs:/broken%FF.md"),
    ],
)
def test_a_files_uri_is_its_path_in_nfc_percent_encoded(name: str, uri: str) -> None:
    assert file_uri("docs", name) == uri


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(lambda name: not name.startswith("/")))
def test_a_files_uri_is_plain_ascii_and_already_normal(name: str) -> None:
    uri = file_uri("docs", name)
    assert uri.isascii()
    assert not set(uri) & set(' #?"<>')
    assert normalise_uri(uri) == uri
