"""The client `anthropic`: messages, the stream helper, tools, and counting tokens."""

import os
import unittest

from anthropic import Anthropic, NotFoundError

client = Anthropic(base_url=os.environ["SVC_URL"], api_key=os.environ["SVC_KEY"], max_retries=0)
MESSAGES = [{"role": "user", "content": "pay ACC-3"}]
ASKED = {"model": "scripted", "max_tokens": 64}
TOOL = {"name": "transfer", "input_schema": {"type": "object", "properties": {"to": {"type": "string"}}}}


class TestAnthropic(unittest.TestCase):
    def test_message(self) -> None:
        message = client.messages.create(**ASKED, messages=MESSAGES)
        self.assertEqual((message.content[0].text, message.stop_reason), ("upstream: pay <ACCOUNT>", "end_turn"))

    def test_stream_helper(self) -> None:
        with client.messages.stream(**ASKED, messages=MESSAGES) as stream:
            text = "".join(stream.text_stream)
            final = stream.get_final_message()
        self.assertEqual((text, final.content[0].text), ("upstream: pay <ACCOUNT>",) * 2)

    def test_tool(self) -> None:
        with client.messages.stream(**ASKED, messages=MESSAGES, tools=[TOOL]) as stream:
            first = stream.get_final_message()
        use = first.content[-1]
        self.assertEqual((first.stop_reason, use.name, use.input), ("tool_use", "transfer", {"to": "<ACCOUNT>"}))
        result = {"type": "tool_result", "tool_use_id": use.id, "content": "paid ACC-9"}
        turns = [*MESSAGES, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        second = client.messages.create(**ASKED, messages=turns, tools=[TOOL])
        self.assertEqual(second.content[0].text, "after the tool: paid <ACCOUNT>")

    def test_count_tokens(self) -> None:
        few = client.messages.count_tokens(model="scripted", messages=MESSAGES).input_tokens
        many = client.messages.count_tokens(model="scripted", messages=[{"role": "user", "content": "hello " * 100}]).input_tokens
        self.assertGreater(few, 0)
        self.assertGreater(many, few + 80)

    def test_error(self) -> None:
        with self.assertRaises(NotFoundError) as raised:
            client.messages.create(**{**ASKED, "model": "nowhere"}, messages=MESSAGES)
        self.assertEqual(raised.exception.body["error"]["type"], "not_found_error")
