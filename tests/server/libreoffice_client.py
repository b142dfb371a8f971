"""Asks LibreOffice's own client of LanguageTool about a text; run by a Python that has LibreOffice's module ``uno``.

Reads a JSON object with ``pipe`` and ``texts`` from standard input, and prints what LibreOffice would underline.
"""

import json
import sys
import time

import uno
from com.sun.star.connection import NoConnectException
from com.sun.star.lang import Locale

asked = json.load(sys.stdin)
local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
deadline = time.monotonic() + 120
while True:
    try:
        address = f"uno:pipe,name={asked['pipe']};urp;StarOffice.ComponentContext"
        office = resolver.resolve(address)
        break
    except NoConnectException:
        if time.monotonic() > deadline:
            raise
        time.sleep(0.2)
services = office.ServiceManager
checker = services.createInstanceWithContext("org.openoffice.lingu.LanguageToolGrammarChecker", office)
english = Locale("en", "US", "")
found = []
for number, text in enumerate(asked["texts"]):
    units = len(text.encode("utf-16-le")) // 2
    result = checker.doProofreading(str(number), text, english, 0, units, ())
    found.append(
        [
            {
                "offset": error.nErrorStart,
                "length": error.nErrorLength,
                "comment": error.aShortComment,
                "suggestions": list(error.aSuggestions),
            }
            for error in result.aErrors
        ]
    )
print(json.dumps(found))  # noqa: T201
