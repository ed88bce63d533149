r"""Secret formats as their issuers publish them: a table of data.

- One row, one format: its kind, what it begins with, what follows. A new format is a new row.
- A row holds no secret and no example of one.
- Lengths are bounded wherever a row is not anchored to the beginning of a token, so that matching stays
  linear.

Reading text with them is `muniment.core.secret_scan`'s task.

>>> [kind for kind, prefix, rest in PREFIXED if prefix == "hf" + "_" and rest.fullmatch("a" * 34)]
['hugging_face_token']
"""

from __future__ import annotations

import re
from types import MappingProxyType

# Kind, what it begins with (alternatives, parted by spaces), and what follows. `W` is a letter, digit,
# `_` or `-`; `A` a letter or digit; `H` a lower-case hexadecimal digit. Each must end where its alphabet does.
FORMATS = (
    ("age_key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    ("airtable_token", "pat", r"A{14}\.H{64}"),
    ("anthropic_key", "sk-ant-", "W{24,200}"),
    ("atlassian_token", "ATATT3 ATCTT3 ATBB", "[A-Za-z0-9_=-]{24,250}"),
    ("aws_access_key_id", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}"),
    ("azure_storage_key", "AccountKey= SharedAccessKey=", "[A-Za-z0-9+/]{40,90}={0,2}"),
    ("buildkite_token", "bkua_", "H{40}"),
    ("circleci_token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{40,80}"),
    ("cloudflare_key", "v1.0-", "H{24}-H{146}"),
    ("contentful_token", "CFPAT-", "W{43}"),
    ("crates_io_token", "cio", "A{32}"),
    ("databricks_token", "dapi", r"H{32}(?:-\d)?"),
    ("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", "H{64}"),
    ("discord_webhook", "https://discord.com/api/webhooks/", r"\d{17,20}/W{60,80}"),
    ("docker_token", "dckr_pat_ dckr_oat_", "W{27,40}"),
    ("doppler_token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[a-z0-9_-]{2,35}\.)?A{40,44}"),
    ("dynatrace_token", "dt0c01. dt0s01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("figma_token", "figd_", "W{38,60}"),
    ("fly_token", "fo1_ FlyV1 fm1_ fm2_ fm1r_", "[A-Za-z0-9_+/=,-]{40,2000}"),
    ("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", "A{36,255}"),
    ("github_fine_grained_token", "github_pat_", "[A-Za-z0-9_]{36,255}"),
    ("gitlab_token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas-",
     "[A-Za-z0-9_.-]{20,300}"),
    ("google_api_key", "AIza", "W{35}"),
    ("google_oauth_secret", "GOCSPX-", "W{28}"),
    ("google_oauth_token", "ya29.", "W{30,500}"),
    ("grafana_token", "glsa_ glc_", "[A-Za-z0-9_+/=]{32,400}"),
    ("groq_key", "gsk_", "A{52}"),
    ("heroku_key", "HRKU-AA", "W{58}"),
    ("hugging_face_token", "hf_", "A{34,40}"),
    ("json_web_token", "eyJ", r"[A-Za-z0-9_=-]{8,}\.eyJ[A-Za-z0-9_=-]{4,}\.[A-Za-z0-9_=-]{16,}"),
    ("langsmith_key", "lsv2_pt_ lsv2_sk_", "H{32}_H{10}"),
    ("linear_key", "lin_api_ lin_oauth_", "A{40,64}"),
    ("netlify_token", "nfp_ nfc_ nfo_ nfu_", "A{36}"),
    ("new_relic_key", "NRAK- NRJS- NRII-", "[A-Za-z0-9]{19,32}"),
    ("notion_token", "secret_ ntn_", "A{43,50}"),
    ("npm_token", "npm_", "A{36}"),
    ("one_password_token", "ops_eyJ", "[A-Za-z0-9_=-]{100,2000}"),
    ("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", "W{32,250}"),
    ("openai_key", "sk-", "A{48}"),
    ("openrouter_key", "sk-or-v1-", "H{64}"),
    ("perplexity_key", "pplx-", "A{48,56}"),
    ("planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_.-]{32,64}"),
    ("postman_key", "PMAK-", "H{24}-H{34}"),
    ("pulumi_token", "pul-", "H{40}"),
    ("pypi_token", "pypi-AgE", "W{50,1000}"),
    ("replicate_token", "r8_", "A{37}"),
    ("rubygems_key", "rubygems_", "H{48}"),
    ("sendgrid_key", "SG.", r"W{22}\.W{43}"),
    ("sentry_token", "sntrys_eyJ sntryu_", "[A-Za-z0-9_+/=-]{40,400}"),
    ("shopify_token", "shpat_ shpca_ shppa_ shpss_", "[a-fA-F0-9]{32}"),
    ("slack_token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp-",
     "[A-Za-z0-9%-]{20,300}"),
    ("slack_app_token", "xapp-", r"\d-[A-Z0-9]{8,16}-\d{8,16}-[a-z0-9]{40,80}"),
    ("slack_webhook", "https://hooks.slack.com/services/ https://hooks.slack.com/workflows/",
     "T[A-Z0-9]{6,12}/[A-Z0-9]{6,12}/[A-Za-z0-9/]{20,60}"),
    ("sourcegraph_token", "sgp_", "(?:[a-f0-9]{16}_|local_)?H{40}"),
    ("square_token", "sq0atp- sq0csp- sq0idp-", "W{22,43}"),
    ("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", "A{16,255}"),
    ("stripe_webhook_secret", "whsec_", "[A-Za-z0-9+/=]{32,64}"),
    ("supabase_key", "sbp_ sb_secret_", "W{31,64}"),
    ("tailscale_key", "tskey-", "(?:auth|api|client|scim|webhook)-W{16,80}"),
    ("twilio_key", "SK", "H{32}"),
    ("vault_token", "hvs. hvb. hvr.", "W{24,300}"),
    ("xai_key", "xai-", "A{70,90}"),
)  # fmt: skip

# Kind, what must be in the text (alternatives, parted by spaces; with `^` in the case-folded text, where the pattern
# ignores case), and a pattern whose group is the secret.
PATTERNS = (
    ("aws_secret_access_key", "^aws ^access",
     r"(?i:aws|secret_?access_?key)[^\n=:]{0,30}[=:]\s{0,3}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"),
    ("azure_client_secret", "Q~", r"(?<![\w~.-])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?![\w~.-])"),
    ("azure_signature", "sig=", r"[?&;]sig=([A-Za-z0-9%+/]{40,90}(?:%3D|=){0,2})"),
    ("discord_token", ".",
     r"([MNO](?<![\w.-][MNO])[A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})(?![\w.-])"),
    ("gcp_service_account_key", "private_key_id", r"private_key_id\\?[\"']\s{0,3}:\s{0,3}\\?[\"']([0-9a-f]{40})"),
    ("heroku_key", "^heroku",
     r"(?i:heroku)[^\n]{0,30}[=:]\s{0,3}[\"']?([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"),
    ("mailchimp_key", "-us", r"(?<![\w-])([0-9a-f]{32}-us\d{1,2})(?!\w)"),
    ("mailgun_key", "key-", r"(?<![\w-])(key-[0-9a-f]{32})(?!\w)"),
    ("putty_key", "PuTTY-User-Key-File", r"(PuTTY-User-Key-File-\d)"),
    ("reviewer_credential", "sealed", r"[\"']sealed[\"']\s{0,3}:\s{0,3}[\"']([A-Za-z0-9+/]{40,200}={0,2})"),
    ("telegram_token", ":AA", r"(?<![\w:])(\d{8,10}:AA[A-Za-z0-9_-]{32,33})(?![\w-])"),
    ("terraform_token", ".atlasv1.", r"(?<!\w)([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70})(?!\w)"),
)  # fmt: skip

_ALPHABETS = MappingProxyType({"W": "[A-Za-z0-9_-]", "A": "[A-Za-z0-9]", "H": "[0-9a-f]"})


def _spelled(shape: str) -> re.Pattern[str]:
    """A format's pattern: the alphabet letters before `{` written out, and an end to the last one."""
    written = re.sub(r"[WAH](?=\{)", lambda found: _ALPHABETS[found.group()], shape)
    return re.compile(f"(?:{written})(?![A-Za-z0-9_])")


PREFIXED = tuple(
    (kind, prefix, _spelled(shape))
    for kind, prefixes, shape in FORMATS
    for prefix in prefixes.split()
)

SHORTEST = 20
"""No token of `FORMATS` is shorter, its beginning included; and none has white space."""

IN_CONTEXT = tuple(
    (kind, tuple(needs.replace("^", "").split()), "^" in needs, re.compile(pattern))
    for kind, needs, pattern in PATTERNS
)
