"""Prepares a bucket with object lock, or prints what it holds, with the official client. Usage: bucket.py URL prepare | list [KEY_ID SECRET]"""

import json
import sys

import boto3
from botocore.exceptions import ClientError

url, command, *credentials = sys.argv[1:]
BUCKET = "svc-evidence"
ALL = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})


def client(service, key_id="none", secret="none"):
    return boto3.client(
        service, endpoint_url=url, region_name="eu-central-1", aws_access_key_id=key_id, aws_secret_access_key=secret
    )


def prepare():
    iam = client("iam")
    iam.create_user(UserName="svc")
    key = iam.create_access_key(UserName="svc")["AccessKey"]
    iam.put_user_policy(UserName="svc", PolicyName="all", PolicyDocument=ALL)
    client("s3").create_bucket(
        Bucket=BUCKET,
        ObjectLockEnabledForBucket=True,
        CreateBucketConfiguration={"LocationConstraint": "eu-central-1"},
    )
    return {"access_key_id": key["AccessKeyId"], "secret_access_key": key["SecretAccessKey"]}


def refusal_of_deletion(s3, key, version):
    try:
        s3.delete_object(Bucket=BUCKET, Key=key, VersionId=version)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


def versions():
    s3 = client("s3", *credentials)
    found = []
    for version in s3.list_object_versions(Bucket=BUCKET).get("Versions", []):
        key, version_id = version["Key"], version["VersionId"]
        kept = s3.get_object(Bucket=BUCKET, Key=key, VersionId=version_id)
        found.append(
            {
                "key": key,
                "content": kept["Body"].read().decode(),
                "mode": kept["ObjectLockMode"],
                "until": kept["ObjectLockRetainUntilDate"].isoformat(),
                "deletion": refusal_of_deletion(s3, key, version_id),
            }
        )
    return found


print(json.dumps(prepare() if command == "prepare" else versions()))
