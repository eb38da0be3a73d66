"""Creates a user with all rights and one without any, with the official client. Usage: identities.py URL"""

import json
import sys

import boto3

ALL = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})

iam = boto3.client(
    "iam", endpoint_url=sys.argv[1], region_name="eu-central-1", aws_access_key_id="none", aws_secret_access_key="none"
)


def key_of(user):
    iam.create_user(UserName=user)
    key = iam.create_access_key(UserName=user)["AccessKey"]
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


reader, stranger = key_of("reader"), key_of("stranger")
iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=ALL)
print(json.dumps({"reader": reader, "stranger": stranger}))
