"""The matter of a URDF by moving body: what a body is made of, and whether it can be."""

from __future__ import annotations

from jounce.errors import InvalidInertiaError
from jounce.formats.urdf.records import JointRecord, LinkRecord, UrdfRecord
from jounce.model.inertia import NEGATIVE_TOLERANCE, check_inertia

Matter = dict[str, list[LinkRecord]]


def matter_by_body(record: UrdfRecord, root: str, joints: list[JointRecord]) -> Matter:
    """Return the links with an <inertial> that each body is welded from; first is the base.

    ``joints`` come parents first.
    """
    body_of = {root: root}
    links: Matter = {root: [record.links[root]]}
    for joint in joints:
        body = body_of[joint.parent] if joint.type == "fixed" else joint.child
        body_of[joint.child] = body
        links.setdefault(body, []).append(record.links[joint.child])
    return {body: [k for k in welded if k.inertia is not None] for body, welded in links.items()}


def massless_warnings(record: UrdfRecord, root: str, matter: Matter) -> list[str]:
    """Return a warning for every moving body without any <inertial>."""
    return [
        str(
            record.links[body].element.error(
                f"link {body!r} moves but has no <inertial>: massless."
            )
        )
        for body, links in matter.items()
        if not links and body != root
    ]


def check_as_written(matter: Matter) -> None:
    """Check matrices that are tiny beside their parallel-axis term, as the file gives them.

    The builder checks sums about the origin of a body, where a negative moment of such a
    matrix is lost in rounding; the text of the file still shows it.  Bodies of one link only:
    in a sum it has no say.
    """
    for body, links in matter.items():
        for link in links if len(links) == 1 else ():
            if link.inertia is None or link.about_com is None or not _lost(link):
                continue
            try:
                check_inertia(link.about_com, body)
            except InvalidInertiaError as error:
                raise InvalidInertiaError(str(link.element.error(str(error)))) from None


def _lost(link: LinkRecord) -> bool:
    about_com, about_origin = (
        max(abs(x) for x in inertia.spatial.rotational)
        for inertia in (link.about_com, link.inertia)
        if inertia is not None
    )
    return about_com < NEGATIVE_TOLERANCE * about_origin
