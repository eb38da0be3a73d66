"""Presidio's analyzer over HTTP, as its container serves it: its own recognisers of patterns, and no model of a language."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.analyzer_request import AnalyzerRequest
from presidio_analyzer.nlp_engine import NoOpNlpEngine


nlp_engine = NoOpNlpEngine(models=[{"lang_code": "en", "model_name": "none"}])
nlp_engine.load()
registry = RecognizerRegistry(supported_languages=["en"])
registry.load_predefined_recognizers(languages=["en"])
registry.remove_recognizer("SpacyRecognizer")
engine = AnalyzerEngine(registry=registry, nlp_engine=nlp_engine, supported_languages=["en"])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            asked = AnalyzerRequest(json.loads(body))
            found = engine.analyze(
                text=asked.text,
                language=asked.language,
                correlation_id=asked.correlation_id,
                score_threshold=asked.score_threshold,
                entities=asked.entities,
                return_decision_process=asked.return_decision_process,
            )
            status, answer = 200, [result.to_dict() for result in found]
        except Exception as error:  # noqa: BLE001, as the container does
            status, answer = 500, {"error": str(error)}
        text = json.dumps(answer, default=lambda value: value.to_dict()).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
