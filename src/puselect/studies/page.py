"""One page of HTML that needs nothing else, in light and dark."""

from html import escape

CSS = """
:root { color-scheme: light dark; --ink: #1f2328; --quiet: #6e7781; --page: #ffffff; --card: #f6f8fa; --line: #d8dee4;
  --good: #1a7f37; --warn: #9a6700; --link: #0969da; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #8b949e; --page: #0d1117; --card: #161b22;
  --line: #30363d; --good: #3fb950; --warn: #d29922; --link: #4493f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 80rem; background: var(--page);
  color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.6rem 0 .4rem; }
a { color: var(--link); } .lead, .note, footer { color: var(--quiet); } .note { font-size: .85rem; margin: .5rem 0 0; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 1rem 0; }
figure { margin: 1.4rem 0; padding: 1rem 1.2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; }
figcaption { font-weight: 600; margin-bottom: .6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { font-weight: 500; color: var(--quiet); } th, td { padding: .2rem .55rem; text-align: right; }
th:nth-child(-n+2), td.name { text-align: left; }
tbody tr { border-top: 1px solid var(--line); } tbody tr:hover { background: var(--page); }
.best { font-weight: 700; color: var(--good); } .differs { color: var(--warn); } .quiet { color: var(--quiet); }
svg { max-width: 100%; height: auto; display: block; } details { margin: 1rem 0; }
pre { overflow-x: auto; font-size: .8rem; padding: .8rem; background: var(--card); border-radius: 8px; }
@media print { figure { break-inside: avoid; } }
"""


def html_page(title: str, body: str) -> str:
    """Return a whole page around a body of HTML."""
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{escape(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
