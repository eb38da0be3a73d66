"""The Python examples of docs/connect.md: each runs, and prints what its comment says."""

import contextlib
import io
import os
import re
import unittest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "connect.md"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAYS = re.compile(r"print\(.*\) {2}# (.*)$", re.MULTILINE)


class TestConnectPage(unittest.TestCase):
    def test_examples(self) -> None:
        examples = FENCE.findall(PAGE.read_text())
        self.assertNotEqual(examples, [])
        for example in examples:
            with self.subTest(example=example), contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(example.replace("http://127.0.0.1:8000", os.environ["SVC_URL"]), {"__name__": "__main__"})
                expected = SAYS.findall(example)
                self.assertNotEqual(expected, [])
                self.assertEqual(printed.getvalue().splitlines(), expected)
