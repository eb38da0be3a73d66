"""Lets pii-leak-benchmark leave out what a gateway generates by itself in any protocol, as it does in chat.

Otherwise five characters of a value are found by chance in the random hash of `svc_evidence`: in 1 of 4,000 responses for each of its values
that are digits (300,000 random hashes each), so in one of seven runs of this test. The tiers of complete values still search these places.
"""

from pii_leak_benchmark import partial_emission

_GENERATED = {"id", "created_at", "svc_run_id", "svc_evidence"}
_PLACES = ("", ".message", ".response")

partial_emission._ENVELOPE_PATHS |= {f"{place}.{name}" for place in _PLACES for name in _GENERATED}
