"""What systems write around the name of a file that they copy.

Drive and Colab name a copy in their reader's language, in front, *Copy of
x.ipynb*, or behind, *x.ipynb のコピー*; browsers and desktops count.  What
stands behind an ending is no person's name in any language; for the rest there
are tables.
"""

import re
import unicodedata

from attnbook.teaching.names import TURNS

ENDING = re.compile(
    r"\.(?:ipynb|py|zip|json|txt|pdf|docx?|odt|rtf|html?|md)$", re.I
)
INSIDE = re.compile(r"(.*?\S)\.(?:ipynb|py)(?![A-Za-z0-9])(.*)", re.I | re.S)
COPIES = 10  # of copies, that a name is followed through
COUNT = re.compile(r"\s*[(（[]\s*(\d{1,9})\s*[)）\]]$")
QUOTES = "\"'“”„«»‹›「」『』《》‘’ \t\n\u00a0\u3000"
BEFORE = """
copy of|copy \\(\\d+\\) of|kopie von|kopie van|copie de|copie a|copie pentru|
copia de|copia di|copia del|cópia de|còpia de|kopi af|kopi av|kopia av|
kopia pliku|kopia|kopie souboru|kopie|kópia súboru|kópia|kopija datoteke|
kopija dokumenta|kopija|kopio tiedostosta|kopio|koopia failist|koopia|
kopya ng|salinan dari|salinan|nakala ya|bản sao của|สำเนาของ|αντίγραφο του|
αντίγραφο από|αντίγραφο|копия файла|копия|копія файлу|копія|копие на|
kopia notatnika|копия блокнота|копія блокнота|
копија датотеке|копија|نسخة من|کپی از|کپی|رونوشت|עותק של|העתק של
"""
BEHIND = """
copy|copie|copia|cópia|còpia|kopie|kopi|kopia|kópia|kopio|kopija|koopia|
kopya|kopyası|adlı dosyanın kopyası|nüsxəsi|nusxasi|көшірмесі|másolata|
másolat|копия|копія|копие|копија|αντίγραφο|bản sao|salinan|की कॉपी|की प्रति|
এর কপি|এর অনুলিপি|کپی|نسخة|עותק
"""
# Words that no blank parts from what stands before or behind.
JOINED = "的副本|副本|の ?コピー|コピー|의 사본|사본|복사본|สำเนา"


def words_in(table):
    """Return a regular expression of the words of a table, long ones first."""
    words = "".join(table.split("\n")).split("|")
    return "|".join(sorted(words, key=len, reverse=True))


FRONT = re.compile(
    rf"^(?:(?:{words_in(BEFORE)})(?:\s+|(?=[{QUOTES}])|$)"
    rf"|(?:{JOINED})[\s\-–—_~～]*)",
    re.I,
)
BACK = re.compile(
    rf"(?:(?:^|[\s\-–—_(（]+|(?<=[{QUOTES}]))(?:another |\d+(?:st|nd|rd|th) )?"
    rf"(?:{words_in(BEHIND)})|[\s\-–—_(（]*(?:{JOINED}))"
    r"(?:\s*(\d{1,9}))?\s*[)）]?$",
    re.I,
)


def stem_of(file):
    """Return the name of a file without its ending, as it is shown."""
    text = unicodedata.normalize("NFC", TURNS.sub("", file)).strip()
    return ENDING.sub("", text)


def original(file):
    """Return what a file was called before it was copied, and the count.

    Args:
        file: its name.

    Returns:
        The name without ending, "" if nothing is left of it, and the largest
        number that a browser or a desktop has added, 0 without one.
    """
    stem, counts = stem_of(file), [0]
    for _ in range(COPIES):
        stem = stem.strip(QUOTES)
        for sign in (COUNT, BACK):
            found = sign.search(stem)
            if found:
                counts.append(int(found[1] or 1))
                stem = stem[: found.start()].strip(QUOTES)
        stem = FRONT.sub("", stem)
        inside = INSIDE.fullmatch(stem)
        if inside:
            kept = re.match(r"\s*[-–—_]\s*\S", inside[2])
            stem = inside[1] + inside[2] * bool(kept)
    return stem, max(counts)
