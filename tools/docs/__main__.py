"""Write the made pages."""

from pathlib import Path

from tools.docs.pages import pages

DOCS = Path(__file__).resolve().parents[2] / "docs"

for name, text in pages().items():
    (DOCS / name).parent.mkdir(exist_ok=True)
    (DOCS / name).write_text(text)
    print(f"made docs/{name}")
