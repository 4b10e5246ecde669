"""Who we are to the API server: the name that a write is signed with."""

from __future__ import annotations

import json

from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import ForbiddenError, InvalidError, MissingError, clean
from kueuectl.cluster.transport import Request

_REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
_LONGEST = 200


def user_name(client: Client) -> str:
    """The user as the API server knows them (SelfSubjectReview), else as the kubeconfig calls them; "" for neither.

    With impersonation that is who is acted as.
    """
    try:
        answer = client.send(
            Request("POST", _REVIEWS, "ask who we are", body=json.dumps(_REVIEW).encode(), is_repeatable=True)
        )
        found = json.loads(answer)["status"]["userInfo"]["username"]
    except (MissingError, ForbiddenError, InvalidError, ValueError, KeyError, TypeError):
        found = ""
    name = found if isinstance(found, str) else ""
    return clean(name or client.user_name, limit=_LONGEST)
