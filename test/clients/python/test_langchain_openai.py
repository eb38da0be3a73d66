"""The client `langchain-openai`: ChatOpenAI whole, streamed and with a tool, in both APIs, and embeddings."""

import os
import unittest

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

GATEWAY = {"base_url": f"{os.environ['SVC_URL']}/v1", "api_key": os.environ["SVC_KEY"], "model": "scripted", "max_retries": 0}

MODELS = [ChatOpenAI(**GATEWAY, use_responses_api=use_responses_api) for use_responses_api in (False, True)]


def transfer(to: str) -> str:
    """Moves money."""
    return f"paid {to}"


class TestLangChain(unittest.TestCase):
    def test_invoke(self) -> None:
        for model in MODELS:
            self.assertEqual(model.invoke("pay ACC-3").text, "upstream: pay <ACCOUNT>")

    def test_stream(self) -> None:
        for model in MODELS:
            chunks = [chunk.text for chunk in model.stream("pay ACC-3")]
            self.assertEqual("".join(chunks), "upstream: pay <ACCOUNT>")

    def test_tool(self) -> None:
        for model in MODELS:
            clerk = model.bind_tools([transfer])
            question = HumanMessage("pay ACC-3")
            first = clerk.invoke([question])
            [call] = first.tool_calls
            self.assertEqual((call["name"], call["args"]), ("transfer", {"to": "<ACCOUNT>"}))
            second = clerk.invoke([question, first, ToolMessage("paid ACC-9", tool_call_id=call["id"])])
            self.assertEqual(second.text, "after the tool: paid <ACCOUNT>")

    def test_embeddings(self) -> None:
        # Otherwise it sends token ids, which guards cannot read.
        embeddings = OpenAIEmbeddings(**GATEWAY, check_embedding_ctx_length=False)
        one, two = embeddings.embed_documents(["one", "two"])
        self.assertEqual((len(one), len(two)), (4, 4))
        self.assertEqual(embeddings.embed_query("one"), one)
        self.assertNotEqual(one, two)
