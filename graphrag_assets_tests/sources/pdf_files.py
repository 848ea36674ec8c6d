"""PDF files made for tests: with reportlab, or byte by byte where a file must be broken."""

import io
from collections.abc import Sequence

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf_of(pages: Sequence[Sequence[str]], *, title: str = "", producer: str = "", password: str = "") -> bytes:
    """One string a line, 14 points apart; a page without lines has a grey box, as a scan has a picture."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(400, 400), invariant=1, encrypt=StandardEncryption(password) if password else None)
    canvas.setTitle(title)
    canvas.setProducer(producer)
    for lines in pages:
        for number, line in enumerate(lines):
            canvas.setFont("Helvetica", 11)
            canvas.drawString(40, 360 - 14 * number, line)
        if not lines:
            canvas.rect(40, 40, 300, 300, fill=1)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def raw_pdf(kids: str, count: int, *objects: bytes) -> bytes:
    """A PDF with its objects as given; the catalogue is object 1, the page tree object 2."""
    numbered = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(), *objects]
    content = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, body in enumerate(numbered, 1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(numbered) + 1, table)
    return content + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(numbered) + 1, start)


def stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)
