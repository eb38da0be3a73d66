"""The client `openai`: chat, streams, responses, embeddings, and the helpers that parse answers and join streams."""

import os
import unittest

from openai import NotFoundError, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=f"{os.environ['SVC_URL']}/v1", api_key=os.environ["SVC_KEY"], max_retries=0)
MESSAGES = [{"role": "user", "content": "pay ACC-3"}]


class Payment(BaseModel):
    to: str


TOOL = {"type": "function", "function": {"name": "transfer", "parameters": Payment.model_json_schema()}}


class TestOpenAI(unittest.TestCase):
    def test_chat(self) -> None:
        answer = client.chat.completions.create(model="scripted", messages=MESSAGES)
        self.assertEqual(answer.choices[0].message.content, "upstream: pay <ACCOUNT>")

    def test_stream(self) -> None:
        chunks = client.chat.completions.create(model="scripted", messages=MESSAGES, stream=True)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        self.assertEqual(text, "upstream: pay <ACCOUNT>")

    def test_stream_helper(self) -> None:
        with client.chat.completions.stream(model="scripted", messages=MESSAGES) as stream:
            final = stream.until_done().get_final_completion()
        self.assertEqual(final.choices[0].message.content, "upstream: pay <ACCOUNT>")

    def test_tool(self) -> None:
        first = client.chat.completions.create(model="scripted", messages=MESSAGES, tools=[TOOL]).choices[0].message
        call = first.tool_calls[0]
        self.assertEqual((call.function.name, call.function.arguments), ("transfer", '{"to":"<ACCOUNT>"}'))
        result = {"role": "tool", "tool_call_id": call.id, "content": "paid ACC-9"}
        turns = [*MESSAGES, first, result]
        second = client.chat.completions.create(model="scripted", messages=turns, tools=[TOOL])
        self.assertEqual(second.choices[0].message.content, "after the tool: paid <ACCOUNT>")

    def test_parse(self) -> None:
        message = client.chat.completions.parse(model="scripted", messages=MESSAGES, response_format=Payment).choices[0].message
        self.assertEqual(message.parsed, Payment(to="<ACCOUNT>"))

    def test_responses(self) -> None:
        response = client.responses.create(model="scripted", input="pay ACC-3")
        self.assertEqual(response.output_text, "upstream: pay <ACCOUNT>")
        parsed = client.responses.parse(model="scripted", input="pay ACC-3", text_format=Payment)
        self.assertEqual(parsed.output_parsed, Payment(to="<ACCOUNT>"))
        with client.responses.stream(model="scripted", input="pay ACC-3") as stream:
            self.assertEqual(stream.until_done().get_final_response().output_text, "upstream: pay <ACCOUNT>")

    def test_embeddings(self) -> None:
        vectors = client.embeddings.create(model="scripted", input=["one", "two", "one"]).data
        self.assertEqual([len(vector.embedding) for vector in vectors], [4, 4, 4])
        self.assertEqual(vectors[0].embedding, vectors[2].embedding)
        self.assertNotEqual(vectors[0].embedding, vectors[1].embedding)

    def test_models_and_errors(self) -> None:
        self.assertEqual([model.id for model in client.models.list()], ["default", "scripted"])
        with self.assertRaises(NotFoundError) as raised:
            client.chat.completions.create(model="nowhere", messages=MESSAGES)
        self.assertEqual(raised.exception.code, "SVC-ROUTE-001")
