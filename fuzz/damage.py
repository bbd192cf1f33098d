"""In which ways is a file damaged?"""

from collections.abc import Sequence

from fuzz.running import Rng

__all__ = ["damaged"]

# What readers stumble over: quotes, ends of lines, zeros, marks, numbers beyond all bounds, letters
# that a terminal obeys, formulas, markup.
TOKENS = [
    *(b'"', b'""', b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\n\n", b"\0", b" "),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1a"),
    *(b"1e308", b"-1e400", b"1e-320", b"9" * 400, b"inf", b"NaN", b"-0", b"0x10", b"1_000"),
    *(b"\x1b[2J", b"\xc2\x9b2J", b"\x7f", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xe2\x80\xa8", b"\b"),
    *(b"=1+1", b"@x", b"[red]", b"^.*$", b"{", b"}", b"[", b"]", b"\\", b"\\u0000", b"%s", b"{0}"),
    *(b"x" * 100_000, b"[" * 5_000, b"," * 3_000, b'"' * 999, b"\n" * 2_000, b"NA", b"?", b"null"),
]


def damaged(content: bytes, rng: Rng, others: Sequence[bytes] = ()) -> bytes:
    """Return a file with a few changes: bits, spans, tokens, ends, parts of other files."""
    for _ in range(int(rng.geometric(0.6))):
        content = _changed(content, rng, others)
    return content


def _changed(content: bytes, rng: Rng, others: Sequence[bytes]) -> bytes:
    start = int(rng.integers(len(content) + 1))
    stop = min(len(content), start + int(rng.geometric(0.1)))
    match int(rng.integers(8)):
        case 0 if content:
            at = min(start, len(content) - 1)
            flipped = bytes([content[at] ^ 1 << int(rng.integers(8))])
            return content[:at] + flipped + content[at + 1 :]
        case 1:
            return content[:start] + content[stop:]
        case 2:
            return content[:stop] + content[start:stop] * int(rng.integers(1, 50)) + content[stop:]
        case 3 | 4:
            return content[:start] + TOKENS[int(rng.integers(len(TOKENS)))] + content[start:]
        case 5:
            return content[:start] + TOKENS[int(rng.integers(len(TOKENS)))] + content[stop:]
        case 6 if others:
            other = others[int(rng.integers(len(others)))]
            return content[:start] + other[int(rng.integers(len(other) + 1)) :]
        case _:
            return content[:start] if rng.random() < 0.2 else content
