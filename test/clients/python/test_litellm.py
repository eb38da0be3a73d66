"""The `litellm` SDK with OpenAI's and Anthropic's API: completion, stream, tool and embeddings."""

import os
import unittest

import litellm

KEY = os.environ["SVC_KEY"]
OPENAI = {"model": "openai/scripted", "api_base": f"{os.environ['SVC_URL']}/v1", "api_key": KEY}
ANTHROPIC = {"model": "anthropic/scripted", "api_base": os.environ["SVC_URL"], "api_key": KEY}
MESSAGES = [{"role": "user", "content": "pay ACC-3"}]
PARAMETERS = {"type": "object", "properties": {"to": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "transfer", "description": "Moves money.", "parameters": PARAMETERS}}


class TestLiteLLM(unittest.TestCase):
    def test_completion(self) -> None:
        for form in (OPENAI, ANTHROPIC):
            answer = litellm.completion(**form, messages=MESSAGES)
            self.assertEqual(answer.choices[0].message.content, "upstream: pay <ACCOUNT>")

    def test_stream(self) -> None:
        for form in (OPENAI, ANTHROPIC):
            chunks = litellm.completion(**form, messages=MESSAGES, stream=True)
            text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
            self.assertEqual(text, "upstream: pay <ACCOUNT>")

    def test_tool(self) -> None:
        for form in (OPENAI, ANTHROPIC):
            first = litellm.completion(**form, messages=MESSAGES, tools=[TOOL]).choices[0].message
            [call] = first.tool_calls
            self.assertEqual(call.function.name, "transfer")
            self.assertRegex(call.function.arguments, r'^\{"to": ?"<ACCOUNT>"\}$')
            turns = [*MESSAGES, first, {"role": "tool", "tool_call_id": call.id, "content": "paid ACC-9"}]
            second = litellm.completion(**form, messages=turns, tools=[TOOL])
            self.assertEqual(second.choices[0].message.content, "after the tool: paid <ACCOUNT>")

    def test_embedding(self) -> None:
        one, two = (item["embedding"] for item in litellm.embedding(**OPENAI, input=["one", "two"]).data)
        self.assertEqual((len(one), len(two)), (4, 4))
        self.assertNotEqual(one, two)
