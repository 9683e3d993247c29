"""What people want of Flag Football League Office: every function is a scenario."""

from runtime.story import Story, scenario

SEASON_RUNS = "(SELECT ends_on FROM division WHERE division.division_id = team.division_id) >= '2026-09-23'"
HAS_ROOM = """
    (SELECT count(*) FROM registration WHERE registration.team_id = team.team_id
        AND status <> 'withdrawn') < (SELECT roster_limit FROM division WHERE division.division_id = team.division_id)
"""
PLACES = """
    ((SELECT count(*) FROM registration AS own JOIN team AS own_team ON own_team.team_id = own.team_id JOIN division AS own_division ON own_division.division_id = own_team.division_id WHERE own.member_id = registration.member_id
        AND own.status <> 'withdrawn'
        AND own_division.ends_on >= '2026-09-23') + (SELECT count(*) FROM free_agent_post AS post JOIN division AS post_division ON post_division.division_id = post.division_id WHERE post.member_id = registration.member_id
        AND post.status = 'open'
        AND post_division.ends_on >= '2026-09-23'))
"""
MOST = """
    (SELECT CASE tier WHEN 'rookie' THEN 1 WHEN 'varsity' THEN 2 ELSE 3 END FROM member WHERE member.member_id = registration.member_id)
"""
LEAVABLE = """
    status <> 'withdrawn'
        AND EXISTS (SELECT 1 FROM team JOIN division ON division.division_id = team.division_id WHERE team.team_id = registration.team_id
        AND division.ends_on >= '2026-09-23'
        AND team.captain_member_id <> registration.member_id)
"""
NUMBERS_FREE = """
    NOT EXISTS (SELECT 1 FROM registration AS worn WHERE worn.team_id = registration.team_id
        AND worn.status <> 'withdrawn'
        AND worn.jersey_number IN (7, 21, 34, 88))
"""
TEAM_IS_OPEN = """
    EXISTS (SELECT 1 FROM division WHERE division.division_id = team.division_id
        AND ends_on >= '2026-09-23'
        AND minimum_age <= 21
        AND roster_limit > (SELECT count(*) FROM registration AS live WHERE live.team_id = team.team_id
        AND live.status <> 'withdrawn'))
        AND NOT EXISTS (SELECT 1 FROM registration AS worn WHERE worn.team_id = team.team_id
        AND worn.status <> 'withdrawn'
        AND worn.jersey_number IN (7, 21, 34, 88))
        AND NOT EXISTS (SELECT 1 FROM team AS twin WHERE twin.team_id <> team.team_id
        AND instr(lower(twin.name), lower(team.name)) > 0)
"""
OLD_ENOUGH = """
    EXISTS (SELECT 1 FROM member WHERE member.member_id = registration.member_id
        AND date_of_birth <= '2005-09-01')
"""
ASKED_TO_JOIN = """
    (SELECT count(*) FROM transfer WHERE transfer.to_team_id = team.team_id
        AND transfer.status = 'requested') = 1
"""
CAN_TAKE = """
    EXISTS (SELECT 1 FROM transfer JOIN registration ON registration.registration_id = transfer.registration_id WHERE transfer.to_team_id = team.team_id
        AND transfer.status = 'requested'
        AND registration.status = 'active')
        AND (SELECT count(*) FROM registration AS live WHERE live.team_id = team.team_id
        AND live.status <> 'withdrawn') < (SELECT roster_limit FROM division WHERE division.division_id = team.division_id)
        AND NOT EXISTS (SELECT 1 FROM registration AS worn WHERE worn.team_id = team.team_id
        AND worn.status <> 'withdrawn'
        AND worn.jersey_number IN (7, 21, 34, 88))
"""
MAY_MOVE = """
    status = 'active'
        AND EXISTS (SELECT 1 FROM team JOIN division ON division.division_id = team.division_id WHERE team.team_id = registration.team_id
        AND division.ends_on >= '2026-09-23'
        AND team.captain_member_id <> registration.member_id)
        AND NOT EXISTS (SELECT 1 FROM transfer WHERE transfer.registration_id = registration.registration_id
        AND transfer.status = 'requested')
        AND NOT EXISTS (SELECT 1 FROM registration AS worn WHERE worn.team_id = registration.team_id
        AND worn.status <> 'withdrawn'
        AND worn.jersey_number IN (7, 21, 34, 88))
"""
HAS_ROOM_2 = """
    (SELECT count(*) FROM registration AS live WHERE live.team_id = team.team_id
        AND live.status <> 'withdrawn') < (SELECT roster_limit FROM division WHERE division.division_id = team.division_id)
"""
OTHER_HAS_ROOM = """
    EXISTS (SELECT 1 FROM team AS own JOIN team AS other ON other.division_id = own.division_id
        AND other.team_id <> own.team_id WHERE own.team_id = registration.team_id
        AND (SELECT count(*) FROM registration AS live WHERE live.team_id = other.team_id
        AND live.status <> 'withdrawn') < (SELECT roster_limit FROM division WHERE division.division_id = other.division_id))
"""
MINE_AHEAD = """
    (SELECT count(*) FROM game WHERE (game.home_team_id = team.team_id OR game.away_team_id = team.team_id)
        AND game.status = 'scheduled'
        AND game.starts_at > '2026-09-23 09:30:00') > 0
"""
CAPTAIN_PLAYS = """
    EXISTS (SELECT 1 FROM registration WHERE registration.team_id = team.team_id
        AND registration.member_id = team.captain_member_id
        AND registration.status = 'active')
"""
WAIVER_IS_SHORT = """
    EXISTS (SELECT 1 FROM member WHERE member.member_id = registration.member_id
        AND coalesce(waiver_expires_on, '') < '2026-11-22')
"""
WAIVER_IS_FINE = """
    EXISTS (SELECT 1 FROM member WHERE member.member_id = registration.member_id
        AND waiver_expires_on >= '2026-11-22')
"""
ONE_TEAM = """
    (SELECT count(*) FROM registration AS own WHERE own.member_id = registration.member_id
        AND own.team_id = registration.team_id) = 1
"""
PLAYS_SOON = """
    EXISTS (SELECT 1 FROM game WHERE (game.home_team_id = registration.team_id OR game.away_team_id = registration.team_id)
        AND game.status = 'scheduled'
        AND game.starts_at > '2026-09-23 09:30:00'
        AND NOT EXISTS (SELECT 1 FROM game_answer WHERE game_answer.game_id = game.game_id
        AND game_answer.member_id = registration.member_id))
"""
OWES_NOTHING = """
    NOT EXISTS (SELECT 1 FROM charge AS due WHERE due.member_id = registration.member_id
        AND due.status = 'open')
"""
ONE_OPEN_AT_MOST = """
    (SELECT count(*) FROM charge AS due WHERE due.member_id = registration.member_id
        AND due.status = 'open') <= 1
"""
ONLY_DEBT_TOO_BIG = """
    (SELECT count(*) FROM charge AS due WHERE due.member_id = charge.member_id
        AND due.status = 'open') = 1
        AND amount_cents - paid_cents > (SELECT CASE tier WHEN 'rookie' THEN 1000 WHEN 'varsity' THEN 4000 ELSE 8000 END FROM member WHERE member.member_id = charge.member_id)
"""
TURF_AND_GRASS = """
    EXISTS (SELECT 1 FROM field AS one WHERE one.surface = 'turf'
        AND one.is_open = 1)
        AND EXISTS (SELECT 1 FROM field AS two WHERE two.surface = 'grass'
        AND two.is_open = 1
        AND two.hourly_rate_cents < (SELECT min(hourly_rate_cents) FROM field AS three WHERE three.surface = 'turf'
        AND three.is_open = 1))
"""
VALID = "status = 'active' AND valid_through >= '2026-09-23'"
LOAD = """
    ((SELECT count(*) FROM registration AS own JOIN team AS own_team ON own_team.team_id = own.team_id JOIN division AS own_division ON own_division.division_id = own_team.division_id WHERE own.member_id = registration.member_id
        AND own.status <> 'withdrawn'
        AND own_division.ends_on >= '2026-09-23') + (SELECT count(*) FROM shift AS job JOIN game AS job_game ON job_game.game_id = job.game_id WHERE job.member_id = registration.member_id
        AND job.status = 'claimed'
        AND job_game.status = 'scheduled'
        AND job_game.starts_at > '2026-09-23 09:30:00'))
"""
NO_SHIFTS = """
    NOT EXISTS (SELECT 1 FROM shift AS job WHERE job.member_id = registration.member_id
        AND job.status = 'claimed')
"""
OPEN_AHEAD = """
    status = 'open'
        AND EXISTS (SELECT 1 FROM game WHERE game.game_id = shift.game_id
        AND game.status = 'scheduled'
        AND game.starts_at > '2026-09-23 09:30:00')
"""
SHIFT_LOAD = """
    ((SELECT count(*) FROM registration AS own JOIN team AS own_team ON own_team.team_id = own.team_id JOIN division AS own_division ON own_division.division_id = own_team.division_id WHERE own.member_id = shift.member_id
        AND own.status <> 'withdrawn'
        AND own_division.ends_on >= '2026-09-23') + (SELECT count(*) FROM shift AS job JOIN game AS job_game ON job_game.game_id = job.game_id WHERE job.member_id = shift.member_id
        AND job.status = 'claimed'
        AND job_game.status = 'scheduled'
        AND job_game.starts_at > '2026-09-23 09:30:00'))
"""
SHIFT_MOST = """
    (SELECT CASE tier WHEN 'rookie' THEN 1 WHEN 'varsity' THEN 2 ELSE 3 END FROM member WHERE member.member_id = shift.member_id)
"""
PLAIN_BEATEN = """
    (SELECT count(*) FROM shift AS job JOIN game AS job_game ON job_game.game_id = job.game_id WHERE job.status = 'open'
        AND job_game.status = 'scheduled'
        AND job_game.starts_at > '2026-09-23 09:30:00'
        AND job.role <> 'referee') > 1
        AND EXISTS (SELECT 1 FROM shift AS job JOIN game AS job_game ON job_game.game_id = job.game_id WHERE job.status = 'open'
        AND job_game.status = 'scheduled'
        AND job_game.starts_at > '2026-09-23 09:30:00'
        AND job.role = 'referee')
        AND NOT EXISTS (SELECT 1 FROM shift AS job JOIN game AS job_game ON job_game.game_id = job.game_id JOIN registration AS own ON own.team_id IN (job_game.home_team_id, job_game.away_team_id) WHERE job.status = 'open'
        AND job_game.status = 'scheduled'
        AND job_game.starts_at > '2026-09-23 09:30:00'
        AND own.member_id = registration.member_id
        AND own.status <> 'withdrawn')
"""
NEVER_DENIED = """
    NOT EXISTS (SELECT 1 FROM appeal WHERE appeal.suspension_id = suspension.suspension_id
        AND appeal.status = 'denied')
"""
OPEN_ONES = "(SELECT count(*) FROM charge AS due WHERE due.member_id = charge.member_id AND due.status = 'open')"
OPEN_LIMIT = """
    (SELECT CASE tier WHEN 'all_star' THEN 2 ELSE 1 END FROM member WHERE member.member_id = charge.member_id)
"""
FOUR_PAYMENTS = """
    (SELECT count(*) FROM payment AS other JOIN charge AS bill ON bill.charge_id = other.charge_id JOIN charge AS own ON own.charge_id = payment.charge_id WHERE bill.member_id = own.member_id
        AND other.refunded_cents = 0) >= 4
"""
NAMED = "refunded_cents = 0 AND charge_id IN (SELECT charge_id FROM charge WHERE note IS NOT NULL)"
OLD_AND_NEW_PAYMENTS = """
    (SELECT count(*) FROM payment JOIN charge ON charge.charge_id = payment.charge_id WHERE charge.member_id = member.member_id) BETWEEN 2
        AND 5
        AND NOT EXISTS (SELECT 1 FROM payment JOIN charge ON charge.charge_id = payment.charge_id WHERE charge.member_id = member.member_id
        AND refunded_cents > 0)
        AND EXISTS (SELECT 1 FROM payment JOIN charge ON charge.charge_id = payment.charge_id WHERE charge.member_id = member.member_id
        AND paid_at < '2026-08-09')
        AND EXISTS (SELECT 1 FROM payment JOIN charge ON charge.charge_id = payment.charge_id WHERE charge.member_id = member.member_id
        AND paid_at > '2026-08-10')
"""
SOME_NOT_DUE = """
    (SELECT count(*) FROM charge WHERE charge.member_id = member.member_id
        AND charge.status = 'open') BETWEEN 2
        AND 5
        AND EXISTS (SELECT 1 FROM charge WHERE charge.member_id = member.member_id
        AND charge.status = 'open'
        AND due_on >= '2026-09-23')
"""
SOME_FAR_GAMES = """
    (SELECT count(*) FROM game WHERE (home_team_id = team.team_id OR away_team_id = team.team_id)
        AND status = 'scheduled'
        AND starts_at > '2026-09-23 09:30:00') BETWEEN 2
        AND 5
        AND EXISTS (SELECT 1 FROM game WHERE (home_team_id = team.team_id OR away_team_id = team.team_id)
        AND status = 'scheduled'
        AND starts_at >= '2026-10-07'
        AND postponed_count = 0)
"""


@scenario
def sign_the_waiver(story: Story) -> None:
    """The member signs a new waiver and asks when they registered with their team."""
    registration = story.pick(
        "registration",
        "status <> 'withdrawn' AND EXISTS (SELECT 1 FROM member WHERE member.member_id = registration.member_id"
        " AND coalesce(waiver_expires_on, '') <= ?)",
        story.day(60),
        unique_by=["member_id", "team_id.name"],
        mine=True,
    )
    team = story.row("team", registration["team_id"])["name"]
    story.wish(
        (
            "I signed this year's waiver. Can you record it, and tell me my registration day for {team}?",
            "I have signed this year's waiver. Could you please record it and tell me my registration day for {team}?",
            "signed this year's waiver, can you record it? and what was my registration day for {team}",
        ),
        short="recording that I signed this year's waiver and telling me my registration day for {team}",
        team=team,
    )
    key = story.identify()
    registrations = story.call("list_registrations", member_id=key)["registrations"]
    story.call("sign_waiver", member_id=key)
    story.answer("registration day", story.find(registrations, team_name=team)["registered_on"])


@scenario
def switch_tiers(story: Story) -> None:
    """The member moves to another tier and asks for their account credit."""
    story.pick("registration", "status <> 'withdrawn'", mine=True)
    tiers = {"Rookie": "rookie", "Varsity": "varsity", "All-Star": "all_star"}
    tier = story.choose("tier", {name: code for name, code in tiers.items() if code != story.me["tier"]})
    story.wish(
        (
            "I want to switch my membership to {tier}. Can you do that and tell me how much account credit I have?",
            "I would like to change my membership to {tier}. Could you please also tell me how much account credit I have?",
            "can you switch me to {tier}? and how much account credit do i have",
        ),
        short="switching my membership to {tier} and telling me my account credit",
        tier=tier,
    )
    member = story.call("change_tier", member_id=story.identify(), tier=tier)
    story.answer("account credit", story.money(member["credit_cents"]))


@scenario
def look_for_players(story: Story) -> None:
    """The captain lets people know that the team looks for players."""
    team = story.pick(
        "team",
        f"recruiting = 0 AND {SEASON_RUNS} AND {HAS_ROOM}",
        unique_by=["captain_member_id", "name"],
        mine=True,
    )
    position = story.choose("position", ["center", "rusher", "safety", "cornerback"])
    looking = story.choose("looking", {"looking for players": True})
    note = story.dictate("note", "We could use a {position} who shows up", position=position)
    story.wish(
        (
            "We're short on {team}. Can you mark us as {looking}? For the note, put exactly this: {note}",
            "I would like {team} to be marked as {looking}. For the note, please put exactly this: {note}",
            "can you mark {team} as {looking}? for the note put exactly this: {note}",
        ),
        short="marking {team} as {looking} with the note I gave you, {note}",
        team=team["name"],
        looking=looking,
        note=note,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    story.call("set_recruiting", team_id=mine["team_id"], recruiting=looking, recruiting_note=note)


@scenario(form="changed_mind")
def correct_the_new_phone(story: Story) -> None:
    """The member gives a new phone number and corrects it."""
    story.pick("registration", "status <> 'withdrawn'", mine=True)
    first = story.choose("phone", ["(614) 555-0193", "(380) 555-0194"])
    second = story.choose("right phone", ["(614) 555-0198", "(380) 555-0197"])
    change = story.wish(
        (
            "I got a new phone. Can you change my number to {phone}?",
            "I have a new phone number, {phone}. Could you please update it?",
            "can you change my number to {phone}? got a new phone",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Sorry, I typed that wrong. My new phone number is {phone}.",
            "I apologize, I typed that wrong. My new phone number is {phone}.",
            "oops typo, my new phone number is {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_contact", wish=change, member_id=key, phone=first)
    story.call("update_contact", wish=correct, member_id=key, phone=second)


@scenario(form="withheld")
def give_the_team_a_new_name(story: Story) -> None:
    """The captain renames the team and keeps back the new name."""
    team = story.pick("team", f"{SEASON_RUNS}", unique_by=["captain_member_id", "name"], mine=True)
    rename = story.wish(
        (
            "We voted, and {team} gets a new name. Can you change it?",
            "The players of {team} have agreed on a new name. Could you please change it?",
            "can you change the name of {team}? we voted on a new one",
        ),
        team=team["name"],
    )
    name = story.choose("name", ["Gridiron Geese", "Lake Effect", "Flag Magnets", "Sunday Scaries", "Snap Judgment"])
    story.keep_back("new name", name)
    story.in_short(rename, "changing the name of {team} to {name}", team=team["name"], name=name)
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    story.call("rename_team", team_id=mine["team_id"], name=name)


@scenario(form="withheld")
def change_my_zip_code(story: Story) -> None:
    """The member's ZIP code changed; the new one is kept back."""
    story.pick("registration", "status <> 'withdrawn'", mine=True)
    move = story.wish(
        (
            "The post office redrew our street, so my ZIP code changed. Can you update it?",
            "My ZIP code has changed, because the post office redrew our street. Could you please update it?",
            "can you update my zip code? post office redrew our street",
        ),
    )
    code = story.choose("ZIP code", ["43204", "43209", "43219", "43224", "43231"])
    story.keep_back("ZIP code", code)
    story.in_short(move, "changing my ZIP code to {code}", code=code)
    story.call("update_contact", member_id=story.identify(), zip_code=code)


@scenario(form="mistaken")
def spend_my_credit(story: Story) -> None:
    """The member switches tiers and spends all account credit on a bill, wrong about how much it is."""
    charge = story.pick(
        "charge",
        "status = 'open' AND note IS NOT NULL AND EXISTS (SELECT 1 FROM member WHERE member.member_id = charge.member_id"
        " AND credit_cents >= 1500 AND credit_cents <= charge.amount_cents - charge.paid_cents)",
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    credit = story.row("member", charge["member_id"])["credit_cents"]
    wrong = story.money(story.choose("amount", [500, 1000]))
    method = story.choose("method", {"account credit": "credit"})
    tiers = {"Rookie": "rookie", "Varsity": "varsity", "All-Star": "all_star"}
    tier = story.choose("tier", {name: code for name, code in tiers.items() if code != story.me["tier"]})
    story.wish(
        (
            "Switch me to {tier}, please, and put all of my {method} toward the open bill that says {note}. I think I have {amount}.",
            "I would like to switch to {tier} and put all of my {method} toward the open bill that says {note}. I believe I have {amount}.",
            "switch me to {tier} and put all my {method} toward the open bill that says {note}, pretty sure i have {amount}",
        ),
        short="switching me to {tier} and putting all of my {method} toward the open bill that says {note}",
        tier=tier,
        method=method,
        note=charge["note"],
        amount=wrong,
    )
    story.believes("account credit", wrong, story.money(credit))
    key = story.identify()
    charges = story.call("list_charges", member_id=key)["charges"]
    mine = story.find([each for each in charges if each["status"] == "open"], note=charge["note"])
    with story.wrong("trusts the customer"):
        story.call("change_tier", member_id=key, tier=tier)
        story.call("pay_charge", charge_id=mine["charge_id"], amount_cents=wrong, method=method)
    with story.wrong("pays the bill by card"):
        story.call("change_tier", member_id=key, tier=tier)
        story.call("pay_charge", charge_id=mine["charge_id"], amount_cents=mine["owed_cents"], method="card")
    member = story.call("change_tier", member_id=key, tier=tier)
    story.call("pay_charge", charge_id=mine["charge_id"], amount_cents=member["credit_cents"], method=method)


@scenario
def join_a_team(story: Story) -> None:
    """The member joins a team."""
    registration = story.pick("registration", f"{OLD_ENOUGH} AND {PLACES} < {MOST}", mine=True)
    team = story.pick(
        "team",
        f"{TEAM_IS_OPEN} AND division_id NOT IN (SELECT team.division_id FROM registration JOIN team ON team.team_id ="
        " registration.team_id WHERE registration.member_id = ? AND registration.status <> 'withdrawn')",
        registration["member_id"],
    )
    number = story.choose("number", [7, 21, 34, 88])
    position = story.choose("position", ["receiver", "rusher", "linebacker", "safety"])
    story.wish(
        (
            "I found a team! Can you sign me up for {team}? I'll play {position} and wear number {number}.",
            "I would like to register for {team} as {position}, with jersey number {number}, please.",
            "sign me up for {team}, {position}, number {number}",
        ),
        short="signing me up for {team} as {position} with number {number}",
        team=team["name"],
        position=position,
        number=number,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"])["teams"]
    wanted = story.find(teams, name=team["name"])
    story.call("register_player", member_id=key, team_id=wanted["team_id"], jersey_number=number, position=position)


@scenario
def change_my_number(story: Story) -> None:
    """The player changes the jersey number."""
    registration = story.pick(
        "registration", f"status <> 'withdrawn' AND {NUMBERS_FREE}", unique_by=["member_id", "team_id.name"], mine=True
    )
    team = story.row("team", registration["team_id"])["name"]
    number = story.choose("number", [7, 21, 34, 88])
    story.wish(
        (
            "My new jersey came with number {number} on it. Can you change my number on {team}?",
            "I would like to wear number {number} on {team} from now on. Could you please change it?",
            "can you change my number on {team} to {number}? got a new jersey",
        ),
        short="changing my number on {team} to {number}",
        number=number,
        team=team,
    )
    registrations = story.call("list_registrations", member_id=story.identify())["registrations"]
    mine = story.find(registrations, team_name=team)
    story.call("change_jersey_number", registration_id=mine["registration_id"], jersey_number=number)


@scenario
def take_my_post_down(story: Story) -> None:
    """The member takes a free agent post down and asks when it was put up."""
    post = story.pick(
        "free_agent_post",
        "status = 'open'",
        unique_by=["member_id", "division_id.name", "division_id.season", "status"],
        mine=True,
    )
    division = story.row("division", post["division_id"])
    story.wish(
        (
            "I can't play after all. Can you take down my free agent post for {division} in {season}, and what was its posting day?",
            "Please take down my open free agent post for {division} in {season}. Could you also tell me its posting day?",
            "take down my free agent post for {division} in {season}, and what was its posting day",
        ),
        short="taking down my free agent post for {division} in {season} and telling me its posting day",
        division=division["name"],
        season=division["season"],
    )
    posts = story.call("list_free_agent_posts", member_id=story.identify())["posts"]
    mine = story.find(
        [each for each in posts if each["status"] == "open"], division_name=division["name"], season=division["season"]
    )
    down = story.call("take_down_post", free_agent_post_id=mine["free_agent_post_id"])
    story.answer("posting day", down["posted_on"])


@scenario(form="denied")
def look_for_a_team(story: Story) -> None:
    """The member wants to be put up as a free agent."""
    registration = story.pick("registration", f"{PLACES} BETWEEN {MOST} - 1 AND {MOST}", mine=True)
    division = story.pick(
        "division",
        "ends_on >= ? AND division_id NOT IN (SELECT team.division_id FROM registration JOIN team ON team.team_id ="
        " registration.team_id WHERE registration.member_id = ? AND registration.status <> 'withdrawn')"
        " AND division_id NOT IN (SELECT division_id FROM free_agent_post WHERE member_id = ? AND status = 'open')",
        story.today,
        registration["member_id"],
        registration["member_id"],
    )
    position = story.choose("position", ["receiver", "cornerback", "center", "rusher"])
    look = story.wish(
        (
            "I'd love to play in {division} in {season}. Can you put me up as a free agent? I play {position}.",
            "I would like to be posted as a free agent for {division} in {season}, as {position}.",
            "put me up as a free agent for {division} in {season}? i play {position}",
        ),
        short="posting me as a free agent for {division} in {season} as {position}",
        division=division["name"],
        season=division["season"],
        position=position,
    )
    story.insists(
        look,
        (
            "I've been working out all summer for this.",
            "I have been training all summer for this.",
            "been working out all summer for this",
        ),
    )
    story.insists(
        look,
        (
            "I really miss being out there with a team.",
            "I truly miss being out on the field.",
            "i really miss being out there",
        ),
    )
    key = story.identify()
    divisions = story.call("list_divisions", season=division["season"])["divisions"]
    wanted = story.find(divisions, name=division["name"])
    with story.wrong("takes another position"):
        story.call("post_free_agent", member_id=key, division_id=wanted["division_id"], position="safety")
    if story.permits("post_free_agent", member_id=key, division_id=wanted["division_id"], position=position):
        story.call("post_free_agent", member_id=key, division_id=wanted["division_id"], position=position)
    else:
        story.decline(look)


@scenario(form="computed")
def add_up_a_season(story: Story) -> None:
    """The member asks what a season would cost with what is owed already."""
    story.pick("charge", "status = 'open'", mine=True)
    division = story.pick("division", "ends_on >= ?", story.today)
    story.wish(
        (
            "I'm planning my money. What's the total of the fee for {division} in {season} and what I already owe, and what's the last day to register?",
            "Could you tell me the total of the fee for {division} in {season} and what I already owe, and the last day to register?",
            "what's the total if i add the fee for {division} in {season} to what i already owe? and the last day to register",
        ),
        short="telling me the total of the fee for {division} in {season} and what I already owe, and the last day to register",
        division=division["name"],
        season=division["season"],
    )
    account = story.call("get_account", member_id=story.identify())
    divisions = story.call("list_divisions", season=division["season"])["divisions"]
    wanted = story.find(divisions, name=division["name"])
    parts = [{"cents": wanted["fee_cents"]}]
    with story.wrong("forgets what is owed already"):
        story.answer("total", story.money(story.total(parts, "cents")))
        story.answer("last day", wanted["registration_closes_on"])
    with story.wrong("takes the day rosters lock"):
        story.answer("total", story.money(story.total([{"cents": account["owed_cents"]}, *parts], "cents")))
        story.answer("last day", wanted["roster_locks_on"])
    story.answer("total", story.money(story.total([{"cents": account["owed_cents"]}, *parts], "cents")))
    story.answer("last day", wanted["registration_closes_on"])


@scenario(form="mistaken")
def post_at_my_position(story: Story) -> None:
    """The member wants a post at the position they play, and is wrong about it."""
    registration = story.pick(
        "registration",
        f"status <> 'withdrawn' AND {PLACES} < {MOST}",
        unique_by=["member_id", "team_id.name"],
        mine=True,
    )
    team = story.row("team", registration["team_id"])["name"]
    division = story.pick(
        "division",
        "ends_on >= ? AND division_id NOT IN (SELECT team.division_id FROM registration JOIN team ON team.team_id ="
        " registration.team_id WHERE registration.member_id = ? AND registration.status <> 'withdrawn')"
        " AND division_id NOT IN (SELECT division_id FROM free_agent_post WHERE member_id = ? AND status = 'open')",
        story.today,
        registration["member_id"],
        registration["member_id"],
    )
    spots = ["receiver", "cornerback", "center", "rusher", "linebacker", "safety"]
    wrong = story.choose("wrong position", [each for each in spots if each != registration["position"]])
    story.wish(
        (
            "Can you post me as a free agent for {division} in {season}, at the position I have with {team}? I think that's {position}.",
            "Please post me as a free agent for {division} in {season}, at my position with {team}, which I believe is {position}.",
            "post me as a free agent for {division} in {season}, same position i have with {team}, pretty sure it's {position}",
        ),
        short="posting me as a free agent for {division} in {season} at the position I have with {team}",
        division=division["name"],
        season=division["season"],
        team=team,
        position=wrong,
    )
    story.believes("position", wrong, registration["position"])
    key = story.identify()
    registrations = story.call("list_registrations", member_id=key)["registrations"]
    mine = story.find(registrations, team_name=team)
    divisions = story.call("list_divisions", season=division["season"])["divisions"]
    wanted = story.find(divisions, name=division["name"])
    with story.wrong("trusts the customer"):
        story.call("post_free_agent", member_id=key, division_id=wanted["division_id"], position=wrong)
    with story.wrong("guesses the quarterback or the safety"):
        guess = "safety" if mine["position"] == "quarterback" or wrong == "quarterback" else "quarterback"
        story.call("post_free_agent", member_id=key, division_id=wanted["division_id"], position=guess)
    story.call("post_free_agent", member_id=key, division_id=wanted["division_id"], position=mine["position"])


@scenario(form="outside")
def leave_a_team(story: Story) -> None:
    """The player leaves a team and wants the locker cleaned out."""
    registration = story.pick("registration", f"{LEAVABLE}", unique_by=["member_id", "team_id.name"], mine=True)
    team = story.row("team", registration["team_id"])["name"]
    story.wish(
        (
            "My knee is shot, so I'm done with {team}. Can you take me off the team?",
            "I have injured my knee and have to leave {team}. Could you please take me off the team?",
            "can you take me off {team}? knee is shot",
        ),
        short="taking me off {team}",
        team=team,
    )
    story.outside(
        (
            "And can you have someone pick up my shoulder bag at the field and bring it to my house?",
            "Could you also have someone collect my shoulder bag at the field and bring it to my home?",
            "and can someone grab my shoulder bag at the field and bring it to my place?",
        )
    )
    registrations = story.call("list_registrations", member_id=story.identify())["registrations"]
    story.call("withdraw_registration", registration_id=story.find(registrations, team_name=team)["registration_id"])


@scenario
def take_a_player(story: Story) -> None:
    """The captain accepts a player's request to join."""
    team = story.pick("team", f"{ASKED_TO_JOIN} AND {CAN_TAKE}", unique_by=["captain_member_id", "name"], mine=True)
    transfer = story.pick("transfer", "to_team_id = ? AND status = 'requested'", team["team_id"])
    player = story.row("member", story.row("registration", transfer["registration_id"])["member_id"])["name"]
    number = story.choose("number", [7, 21, 34, 88])
    story.wish(
        (
            "{player} wants to join {team}, and we're happy to have them. Can you accept the transfer? They'll wear number {number}.",
            "{player} has asked to join {team}. I would like to accept the transfer, with jersey number {number}.",
            "accept the transfer of {player} to {team}, number {number}",
        ),
        short="accepting the transfer of {player} to {team} with number {number}",
        player=player,
        team=team["name"],
        number=number,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    requests = story.call("list_team_transfers", team_id=mine["team_id"])["transfers"]
    asked = story.find([each for each in requests if each["status"] == "requested"], player_name=player)
    story.call("accept_transfer", transfer_id=asked["transfer_id"], jersey_number=number)


@scenario
def turn_a_player_down(story: Story) -> None:
    """The captain declines a player's request to join and asks when it was made."""
    team = story.pick("team", f"{ASKED_TO_JOIN}", unique_by=["captain_member_id", "name"], mine=True)
    transfer = story.pick("transfer", "to_team_id = ? AND status = 'requested'", team["team_id"])
    player = story.row("member", story.row("registration", transfer["registration_id"])["member_id"])["name"]
    story.wish(
        (
            "We talked about {player} joining {team}, and we're good without. Can you decline the transfer, and what was the request day?",
            "I would like to decline the transfer of {player} to {team}. Could you please tell me the request day?",
            "decline the transfer of {player} to {team}, we're good. and what was the request day",
        ),
        short="declining the transfer of {player} to {team} and telling me the request day",
        player=player,
        team=team["name"],
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    requests = story.call("list_team_transfers", team_id=mine["team_id"])["transfers"]
    asked = story.find([each for each in requests if each["status"] == "requested"], player_name=player)
    declined = story.call("decline_transfer", transfer_id=asked["transfer_id"])
    story.answer("request day", story.date_of(declined["requested_at"]))


@scenario(form="fallback")
def change_teams(story: Story) -> None:
    """The player wants to change teams, or at least the number."""
    registration = story.pick(
        "registration", f"{MAY_MOVE} AND {OTHER_HAS_ROOM}", unique_by=["member_id", "team_id.name"], mine=True
    )
    old = story.row("team", registration["team_id"])
    new = story.pick(
        "team",
        f"division_id = ? AND team_id <> ? AND {HAS_ROOM_2}",
        old["division_id"],
        old["team_id"],
        unique_by=["division_id", "name"],
    )
    number = story.choose("number", [7, 21, 34])
    change = story.wish(
        (
            "Can you put in a request to move me from {old} to {new}?",
            "I would like to request a move from {old} to {new}, please.",
            "request a move for me from {old} to {new} pls",
        ),
        short="requesting a move from {old} to {new} for me",
        new=new["name"],
        old=old["name"],
    )
    stay = story.otherwise(
        change,
        (
            "Then I'm staying with {old}, but give me number {number} there.",
            "In that case I am staying with {old}. Please give me number {number} there.",
            "then i'm staying with {old}, but give me number {number}",
        ),
        short="giving me number {number} on {old}",
        number=number,
        old=old["name"],
    )
    registrations = story.call("list_registrations", member_id=story.identify())["registrations"]
    mine = story.find(registrations, team_name=old["name"])
    teams = story.call("search_teams", name=new["name"], division_id=mine["division_id"])["teams"]
    wanted = story.find(teams, name=new["name"])
    with story.wrong("gives another number"):
        story.call("change_jersey_number", wish=stay, registration_id=mine["registration_id"], jersey_number=88)
    if story.permits(
        "request_transfer", wish=change, registration_id=mine["registration_id"], to_team_id=wanted["team_id"]
    ):
        story.call(
            "request_transfer", wish=change, registration_id=mine["registration_id"], to_team_id=wanted["team_id"]
        )
    else:
        story.decline(change)
        story.call("change_jersey_number", wish=stay, registration_id=mine["registration_id"], jersey_number=number)


@scenario(form="conditional")
def take_a_player_if_short(story: Story) -> None:
    """The captain takes a player who asked early enough, and declines otherwise."""
    team = story.pick("team", f"{ASKED_TO_JOIN} AND {CAN_TAKE}", unique_by=["captain_member_id", "name"], mine=True)
    transfer = story.pick("transfer", "to_team_id = ? AND status = 'requested'", team["team_id"])
    player = story.row("member", story.row("registration", transfer["registration_id"])["member_id"])["name"]
    day = story.day(-6)
    number = story.choose("number", [7, 21, 34])
    story.wish(
        (
            "If {player} asked to join {team} by {day}, accept the transfer with number {number}. If it was later, decline it.",
            "Please accept the transfer of {player} to {team} with number {number} if it was requested by {day}. If it was later, please decline it.",
            "take {player} on {team} with number {number} if they asked by {day}, if it was later decline the transfer",
        ),
        short="accepting the transfer of {player} to {team} with number {number} if it was requested by {day}, and declining it if it was later",
        player=player,
        team=team["name"],
        number=number,
        day=day,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    requests = story.call("list_team_transfers", team_id=mine["team_id"])["transfers"]
    asked = story.find([each for each in requests if each["status"] == "requested"], player_name=player)
    with story.wrong("gives another number"):
        story.call("accept_transfer", transfer_id=asked["transfer_id"], jersey_number=88)
    if story.date_of(asked["requested_at"]) <= day:
        with story.wrong("takes the other branch"):
            story.call("decline_transfer", transfer_id=asked["transfer_id"])
        story.call("accept_transfer", transfer_id=asked["transfer_id"], jersey_number=number)
    else:
        with story.wrong("takes the other branch"):
            story.call("accept_transfer", transfer_id=asked["transfer_id"], jersey_number=number)
        story.call("decline_transfer", transfer_id=asked["transfer_id"])


@scenario(form="computed")
def count_the_new_team(story: Story) -> None:
    """The player asks how big another team would be with them on it."""
    registration = story.pick(
        "registration", f"{MAY_MOVE} AND {OTHER_HAS_ROOM}", unique_by=["member_id", "team_id.name"], mine=True
    )
    old = story.row("team", registration["team_id"])
    new = story.pick(
        "team",
        f"division_id = ? AND team_id <> ? AND {HAS_ROOM_2}",
        old["division_id"],
        old["team_id"],
        unique_by=["division_id", "name"],
    )
    story.wish(
        (
            "I play for {old} and might ask to move to {new}. What would their roster size be with me on it, and who's the captain?",
            "I play for {old} and am thinking of a move to {new}. What would the roster size be with me, and who is the captain?",
            "if i move from {old} to {new}, what's the roster size with me on it and who's the captain",
        ),
        short="telling me the roster size of {new} if I move there from {old}, and the captain",
        old=old["name"],
        new=new["name"],
    )
    registrations = story.call("list_registrations", member_id=story.identify())["registrations"]
    mine = story.find(registrations, team_name=old["name"])
    teams = story.call("search_teams", name=new["name"], division_id=mine["division_id"])["teams"]
    wanted = story.find(teams, name=new["name"])
    story.possible("request_transfer", registration_id=mine["registration_id"], to_team_id=wanted["team_id"])
    me = {"players": 1}
    with story.wrong("forgets the caller"):
        story.answer("roster size", wanted["roster_count"])
        story.answer("captain", wanted["captain_name"], source="member.name")
    story.answer("roster size", story.total([{"players": wanted["roster_count"]}, me], "players"))
    story.answer("captain", wanted["captain_name"], source="member.name")


@scenario(form="outside")
def take_my_request_back(story: Story) -> None:
    """The player takes back a transfer request and wants the captain called."""
    registration = story.pick(
        "registration",
        "(SELECT count(*) FROM transfer WHERE transfer.registration_id = registration.registration_id AND transfer.status = 'requested') = 1",
        unique_by=["member_id", "team_id.name"],
        mine=True,
    )
    transfer = story.pick("transfer", "registration_id = ? AND status = 'requested'", registration["registration_id"])
    old = story.row("team", transfer["from_team_id"])["name"]
    new = story.row("team", transfer["to_team_id"])["name"]
    story.wish(
        (
            "I'm staying with {old} after all. Can you withdraw my request to join {new}?",
            "I have decided to stay with {old}. Could you please withdraw my request to join {new}?",
            "can you withdraw my request to join {new}? staying with {old} after all",
        ),
        short="withdrawing my request to join {new} and leave {old}",
        old=old,
        new=new,
    )
    story.outside(
        (
            "And can you call their captain for me and smooth things over?",
            "Could you also call their captain on my behalf and explain it?",
            "and can you call their captain and smooth it over for me?",
        )
    )
    requests = story.call("list_transfers", member_id=story.identify())["transfers"]
    asked = story.find(
        [each for each in requests if each["status"] == "requested"], from_team_name=old, to_team_name=new
    )
    story.call("withdraw_transfer", transfer_id=asked["transfer_id"])


@scenario
def report_a_score(story: Story) -> None:
    """The captain reports or corrects the score of a game."""
    team = story.pick(
        "team",
        "EXISTS (SELECT 1 FROM game WHERE (home_team_id = team.team_id OR away_team_id = team.team_id)"
        " AND (game.status = 'played' OR (game.status = 'scheduled' AND starts_at < ?)))",
        story.today,
        unique_by=["captain_member_id", "name"],
        mine=True,
    )
    game = story.pick(
        "game",
        "(home_team_id = ? OR away_team_id = ?) AND (status = 'played' OR (status = 'scheduled' AND starts_at < ?))",
        team["team_id"],
        team["team_id"],
        story.today,
        unique_by=["home_team_id", "away_team_id", "starts_at"],
    )
    home = story.row("team", game["home_team_id"])["name"]
    away = story.row("team", game["away_team_id"])["name"]
    high = story.choose("home points", [22, 29, 31])
    low = story.choose("away points", [8, 15, 18])
    story.wish(
        (
            "The score of our {team} game on {moment} isn't right on the site. It was {home} {high}, {away} {low}. Can you fix it?",
            "I would like to report the score of our {team} game on {moment}. It was {home} {high}, {away} {low}.",
            "can you fix the score of our {team} game on {moment}? it was {home} {high}, {away} {low}",
        ),
        short="putting down {home} {high}, {away} {low} for our {team} game on {moment}",
        team=team["name"],
        moment=game["starts_at"],
        home=home,
        high=high,
        away=away,
        low=low,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    games = story.call("list_team_games", team_id=mine["team_id"])["games"]
    ours = story.find(games, home_team_name=home, away_team_name=away, starts_at=game["starts_at"])
    story.call("report_score", game_id=ours["game_id"], home_score=high, away_score=low)


@scenario
def forfeit_a_game(story: Story) -> None:
    """The captain gives a game up; the fee follows from the day."""
    team = story.pick("team", f"{MINE_AHEAD}", unique_by=["captain_member_id", "name"], mine=True)
    game = story.pick(
        "game",
        "(home_team_id = ? OR away_team_id = ?) AND status = 'scheduled' AND starts_at > ?",
        team["team_id"],
        team["team_id"],
        story.now,
        unique_by=["home_team_id", "away_team_id", "starts_at"],
    )
    story.wish(
        (
            "We just don't have enough players for our {team} game on {moment}. Can you put it down as our forfeit?",
            "Unfortunately {team} cannot field enough players on {moment}. I would like to forfeit our game, please.",
            "put our {team} game on {moment} down as our forfeit, we don't have the players",
        ),
        short="putting our {team} game on {moment} down as our forfeit",
        team=team["name"],
        moment=game["starts_at"],
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    games = story.call("list_team_games", team_id=mine["team_id"])["games"]
    ours = story.find(games, starts_at=game["starts_at"])
    story.call("forfeit_game", game_id=ours["game_id"], team_id=mine["team_id"])
    if story.date_of(ours["starts_at"]) >= story.day(7):
        story.call("add_charge", member_id=key, kind="forfeit_fee", amount_cents=4000, note="Forfeited game")
    else:
        story.call("add_charge", member_id=key, kind="forfeit_fee", amount_cents=7500, note="Forfeited game")


@scenario
def put_a_game_back_on(story: Story) -> None:
    """The captain gives a postponed game a new time and field."""
    team = story.pick(
        "team",
        "EXISTS (SELECT 1 FROM division WHERE division.division_id = team.division_id AND ends_on >= ?)"
        " AND (SELECT count(*) FROM game WHERE (home_team_id = team.team_id OR away_team_id = team.team_id) AND status = 'postponed') = 1",
        story.day(45),
        unique_by=["captain_member_id", "name"],
        mine=True,
    )
    field = story.pick("field", "is_open = 1")["name"]
    state = story.choose("state", ["postponed"])
    new = story.moment(story.day(44), story.choose("time", ["17:00", "18:00", "19:00"]))
    story.wish(
        (
            "Both teams agreed on a new time for the {team} game that was {state}. Can you set it for {new} at {field}?",
            "Both teams have agreed on {new} at {field} for the {team} game that was {state}. Could you please set it up?",
            "can you set the {state} {team} game for {new} at {field}? both teams are good with it",
        ),
        short="setting the {state} {team} game for {new} at {field}",
        team=team["name"],
        state=state,
        new=new,
        field=field,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    games = story.call("list_team_games", team_id=mine["team_id"])["games"]
    ours = story.find(games, status=state)
    fields = story.call("search_fields", name=field)["fields"]
    field_id = story.find(fields, name=field)["field_id"]
    story.call("reschedule_game", game_id=ours["game_id"], starts_at=new, field_id=field_id)


@scenario(form="fallback")
def postpone_a_game(story: Story) -> None:
    """The captain wants a game postponed, or else stays out of it."""
    team = story.pick("team", f"{MINE_AHEAD} AND {CAPTAIN_PLAYS}", unique_by=["captain_member_id", "name"], mine=True)
    game = story.pick(
        "game",
        "(home_team_id = ? OR away_team_id = ?) AND status = 'scheduled' AND starts_at > ?"
        " AND NOT EXISTS (SELECT 1 FROM game_answer WHERE game_answer.game_id = game.game_id AND member_id = ?)",
        team["team_id"],
        team["team_id"],
        story.now,
        team["captain_member_id"],
        unique_by=["home_team_id", "away_team_id", "starts_at"],
    )
    event = story.choose("event", ["a wedding", "a work trip", "a funeral"])
    reason = story.dictate("reason", "Half the team is away for {event}", event=event)
    push = story.wish(
        (
            "Can you postpone our {team} game on {moment}? For the reason, put exactly this: {reason}",
            "I would like to postpone our {team} game on {moment}. As the reason, please put exactly this: {reason}",
            "postpone our {team} game on {moment} pls, for the reason put exactly this: {reason}",
        ),
        short="postponing our {team} game on {moment} with the reason I gave you, {reason}",
        team=team["name"],
        moment=game["starts_at"],
        reason=reason,
    )
    word = story.choose("answer", ["out"])
    stay = story.otherwise(
        push,
        (
            "Then put me down as {word} for that game on {moment}.",
            "In that case, please put me down as {word} for the game on {moment}.",
            "then put me down as {word} for the game on {moment}",
        ),
        short="putting me down as {word} for the game on {moment}",
        word=word,
        moment=game["starts_at"],
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    games = story.call("list_team_games", team_id=mine["team_id"])["games"]
    ours = story.find(games, starts_at=game["starts_at"])
    with story.wrong("gives the game up"):
        story.call("forfeit_game", wish=push, game_id=ours["game_id"], team_id=mine["team_id"])
    if story.permits("postpone_game", wish=push, game_id=ours["game_id"], reason=reason):
        story.call("postpone_game", wish=push, game_id=ours["game_id"], reason=reason)
    else:
        story.decline(push)
        story.call("answer_game", wish=stay, member_id=key, game_id=ours["game_id"], answer=word)


@scenario(form="denied")
def say_i_will_play(story: Story) -> None:
    """The player says whether they will play."""
    registration = story.pick(
        "registration",
        f"status <> 'withdrawn' AND {ONE_TEAM} AND {PLAYS_SOON}",
        unique_by=["member_id", "team_id.name"],
        mine=True,
    )
    team = story.row("team", registration["team_id"])["name"]
    game = story.pick(
        "game",
        "(home_team_id = ? OR away_team_id = ?) AND status = 'scheduled' AND starts_at > ?"
        " AND NOT EXISTS (SELECT 1 FROM game_answer WHERE game_answer.game_id = game.game_id AND member_id = ?)",
        registration["team_id"],
        registration["team_id"],
        story.now,
        registration["member_id"],
        unique_by=["home_team_id", "away_team_id", "starts_at"],
    )
    answer = story.choose("answer", ["in", "maybe"])
    play = story.wish(
        (
            "About our {team} game on {moment}: can you put me down as {answer}?",
            "I would like to be put down as {answer} for our {team} game on {moment}.",
            "put me down as {answer} for our {team} game on {moment}",
        ),
        short="putting me down as {answer} for our {team} game on {moment}",
        team=team,
        moment=game["starts_at"],
        answer=answer,
    )
    story.insists(
        play,
        (
            "My folks are driving in to watch me play, I can't let them down.",
            "My parents are driving in to watch me play, and I would hate to let them down.",
            "my folks are driving in to watch me",
        ),
    )
    story.insists(
        play,
        (
            "I've been looking forward to this one for weeks.",
            "I have been looking forward to this game for weeks.",
            "been looking forward to this one for weeks",
        ),
    )
    key = story.identify()
    registrations = story.call("list_registrations", member_id=key)["registrations"]
    own = story.find(registrations, team_name=team)
    games = story.call("list_team_games", team_id=own["team_id"])["games"]
    ours = story.find(games, starts_at=game["starts_at"])
    with story.wrong("takes another answer"):
        story.call("answer_game", member_id=key, game_id=ours["game_id"], answer="out")
    if story.permits("answer_game", member_id=key, game_id=ours["game_id"], answer=answer):
        story.call("answer_game", member_id=key, game_id=ours["game_id"], answer=answer)
    else:
        story.decline(play)


@scenario(form="coupled")
def sign_and_play(story: Story) -> None:
    """The player wants to be in for a game and signs the waiver that is missing."""
    registration = story.pick(
        "registration",
        f"status <> 'withdrawn' AND {ONE_TEAM} AND {PLAYS_SOON} AND {WAIVER_IS_SHORT}",
        unique_by=["member_id", "team_id.name"],
        mine=True,
    )
    team = story.row("team", registration["team_id"])["name"]
    game = story.pick(
        "game",
        "(home_team_id = ? OR away_team_id = ?) AND status = 'scheduled' AND starts_at > ?"
        " AND NOT EXISTS (SELECT 1 FROM game_answer WHERE game_answer.game_id = game.game_id AND member_id = ?)",
        registration["team_id"],
        registration["team_id"],
        story.now,
        registration["member_id"],
        unique_by=["home_team_id", "away_team_id", "starts_at"],
    )
    answer = story.choose("answer", ["in", "maybe"])
    with story.together():
        play = story.wish(
            (
                "Can you put me down as {answer} for our {team} game on {moment}?",
                "I would like to be put down as {answer} for our {team} game on {moment}.",
                "put me down as {answer} for our {team} game on {moment}",
            ),
            short="putting me down as {answer} for our {team} game on {moment}",
            answer=answer,
            team=team,
            moment=game["starts_at"],
        )
        sign = story.wish(
            (
                "I also signed this year's waiver yesterday, please record it.",
                "Please also record that I have signed this year's waiver.",
                "also record that i signed this year's waiver",
            ),
            short="recording that I signed this year's waiver",
        )
    key = story.identify()
    registrations = story.call("list_registrations", wish=play, member_id=key)["registrations"]
    own = story.find(registrations, team_name=team)
    games = story.call("list_team_games", wish=play, team_id=own["team_id"])["games"]
    ours = story.find(games, starts_at=game["starts_at"])
    story.call("sign_waiver", wish=sign, member_id=key)
    story.call("answer_game", wish=play, member_id=key, game_id=ours["game_id"], answer=answer)


@scenario(form="conditional")
def play_only_on_turf(story: Story) -> None:
    """The player is in for a game on turf, and out for a game on grass."""
    registration = story.pick(
        "registration",
        f"status <> 'withdrawn' AND {ONE_TEAM} AND {PLAYS_SOON} AND {WAIVER_IS_FINE}",
        unique_by=["member_id", "team_id.name"],
        mine=True,
    )
    team = story.row("team", registration["team_id"])["name"]
    game = story.pick(
        "game",
        "(home_team_id = ? OR away_team_id = ?) AND status = 'scheduled' AND starts_at > ?"
        " AND NOT EXISTS (SELECT 1 FROM game_answer WHERE game_answer.game_id = game.game_id AND member_id = ?)",
        registration["team_id"],
        registration["team_id"],
        story.now,
        registration["member_id"],
        unique_by=["home_team_id", "away_team_id", "starts_at"],
    )
    soft = story.choose("answer", ["in", "maybe"])
    hard = story.choose("other answer", ["out"])
    story.wish(
        (
            "My ankle only likes turf. If our {team} game on {moment} is on turf, put me down as {soft}. If it's on grass, I'm {hard}.",
            "If our {team} game on {moment} is on turf, please put me down as {soft}. If it is on grass, please put me down as {hard}.",
            "put me down as {soft} for our {team} game on {moment} if it's on turf, if it's grass i'm {hard}",
        ),
        short="putting me down as {soft} for our {team} game on {moment} if it's on turf, and as {hard} if it's on grass",
        team=team,
        moment=game["starts_at"],
        soft=soft,
        hard=hard,
    )
    key = story.identify()
    registrations = story.call("list_registrations", member_id=key)["registrations"]
    own = story.find(registrations, team_name=team)
    games = story.call("list_team_games", team_id=own["team_id"])["games"]
    ours = story.find(games, starts_at=game["starts_at"])
    fields = story.call("search_fields", name=ours["field_name"])["fields"]
    field = story.find(fields, name=ours["field_name"])
    right, other = (soft, hard) if field["surface"] == "turf" else (hard, soft)
    with story.wrong("takes the other branch"):
        story.call("answer_game", member_id=key, game_id=ours["game_id"], answer=other)
    with story.wrong("takes another answer"):
        story.call("answer_game", member_id=key, game_id=ours["game_id"], answer="maybe" if soft == "in" else "in")
    story.call("answer_game", member_id=key, game_id=ours["game_id"], answer=right)


@scenario
def cancel_a_practice(story: Story) -> None:
    """The member cancels an upcoming practice; a late one costs the fee that the office asks for."""
    booking = story.pick(
        "booking",
        "status = 'booked' AND starts_at > ?",
        story.now,
        unique_by=["member_id", "field_id.name", "starts_at"],
        mine=True,
    )
    field = story.row("field", booking["field_id"])["name"]
    story.wish(
        (
            "We can't get enough people together. Can you cancel my practice at {field} on {moment}?",
            "I would like to cancel my practice at {field} on {moment}. Could you please take care of it?",
            "can you cancel my practice at {field} on {moment}? nobody can make it",
        ),
        short="canceling my practice at {field} on {moment}",
        field=field,
        moment=booking["starts_at"],
    )
    key = story.identify()
    bookings = story.call("list_bookings", member_id=key)["bookings"]
    mine = story.find(bookings, field_name=field, starts_at=booking["starts_at"])
    story.call("cancel_booking", booking_id=mine["booking_id"])
    if mine["starts_at"] < story.day(7) and story.me["tier"] == "rookie":
        story.call(
            "add_charge", member_id=key, kind="cancellation_fee", amount_cents=1500, note="Late practice cancellation"
        )
    if mine["starts_at"] < story.day(7) and story.me["tier"] == "varsity":
        story.call(
            "add_charge", member_id=key, kind="cancellation_fee", amount_cents=1000, note="Late practice cancellation"
        )


@scenario
def report_a_broken_gate(story: Story) -> None:
    """The member reports a problem at a field where they have a practice."""
    booking = story.pick("booking", "field_id IN (SELECT field_id FROM field WHERE problem IS NULL)", mine=True)
    field = story.row("field", booking["field_id"])["name"]
    part = story.choose("part", ["parking lot", "north end zone", "equipment shed"])
    problem = story.dictate("problem", "Broken gate by the {part}", part=part)
    story.wish(
        (
            "I was over at {field} and something needs fixing. Can you report it? Please put exactly this: {problem}",
            "There is something wrong at {field}. Could you please put it on file, with exactly this: {problem}",
            "can you report a problem at {field}? put exactly this: {problem}",
        ),
        short="reporting the problem at {field} with the words I gave you, {problem}",
        field=field,
        problem=problem,
    )
    story.identify()
    fields = story.call("search_fields", name=field)["fields"]
    story.call("report_field_problem", field_id=story.find(fields, name=field)["field_id"], problem=problem)


@scenario(form="denied")
def move_a_practice(story: Story) -> None:
    """The member wants to move a practice to another day."""
    booking = story.pick(
        "booking",
        "status = 'booked' AND starts_at > ?",
        story.now,
        unique_by=["member_id", "field_id.name", "starts_at"],
        mine=True,
    )
    field = story.row("field", booking["field_id"])["name"]
    time = story.choose("time", ["17:00", "18:30"])
    new = story.moment(story.day(50), time)
    move = story.wish(
        (
            "Something came up. Can you move my practice at {field} on {moment} to {new}?",
            "I would like to move my practice at {field} on {moment} to {new}, please.",
            "can you move my {field} practice on {moment} to {new}?",
        ),
        short="moving my practice at {field} on {moment} to {new}",
        field=field,
        moment=booking["starts_at"],
        new=new,
    )
    story.insists(
        move,
        (
            "I've been playing in this league for a while and I never ask for much.",
            "I have been a member for some time, and I rarely ask for anything.",
            "been in this league a while, i never ask for anything",
        ),
    )
    story.insists(
        move,
        (
            "My whole weekend depends on this, I'd really appreciate it.",
            "This would make my week a great deal easier.",
            "it'd save my week, really",
        ),
    )
    bookings = story.call("list_bookings", member_id=story.identify())["bookings"]
    mine = story.find(bookings, field_name=field, starts_at=booking["starts_at"])
    with story.wrong("takes another day"):
        story.call("move_booking", booking_id=mine["booking_id"], starts_at=story.moment(story.day(51), time))
    if story.permits("move_booking", booking_id=mine["booking_id"], starts_at=new):
        story.call("move_booking", booking_id=mine["booking_id"], starts_at=new)
    else:
        story.decline(move)


@scenario(form="denied")
def book_a_team_practice(story: Story) -> None:
    """The member wants to book a field for a practice of their team."""
    registration = story.pick("registration", f"status <> 'withdrawn' AND {ONE_OPEN_AT_MOST}", mine=True)
    team = story.row("team", registration["team_id"])["name"]
    field = story.pick("field", "is_open = 1")
    hours = story.choose("hours", [2, 3])
    start = story.moment(story.day(48), story.choose("time", ["16:00", "18:00"]))
    book = story.wish(
        (
            "{team} needs some practice. Can you book {field} for me on {moment}, for {hours} hours?",
            "I would like to book {field} for a {team} practice on {moment}, for {hours} hours, please.",
            "can you book {field} on {moment} for {hours} hours? {team} needs practice",
        ),
        short="booking {field} for my {team} practice on {moment} for {hours} hours",
        team=team,
        field=field["name"],
        moment=start,
        hours=hours,
    )
    story.insists(
        book,
        (
            "I already told everyone to show up, so I'd hate to let them down.",
            "I have already told everyone about it, and I would hate to disappoint them.",
            "i already told everybody, don't make me look bad",
        ),
    )
    story.insists(
        book,
        (
            "It's only one practice, come on.",
            "It is only a single practice.",
            "it's just one practice",
        ),
    )
    key = story.identify()
    fields = story.call("search_fields", name=field["name"])["fields"]
    field_id = story.find(fields, name=field["name"])["field_id"]
    with story.wrong("books a shorter time"):
        story.call("book_field", member_id=key, field_id=field_id, starts_at=start, hours=1)
    if story.permits("book_field", member_id=key, field_id=field_id, starts_at=start, hours=hours):
        story.call("book_field", member_id=key, field_id=field_id, starts_at=start, hours=hours)
    else:
        story.decline(book)


@scenario(form="coupled")
def book_after_paying(story: Story) -> None:
    """The member books a field and pays the bill that stands in the way."""
    charge = story.pick(
        "charge",
        f"status = 'open' AND note IS NOT NULL AND {ONLY_DEBT_TOO_BIG}",
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    field = story.pick("field", "is_open = 1")
    hours = story.choose("hours", [2, 3])
    start = story.moment(story.day(49), story.choose("time", ["16:30", "18:00"]))
    method = story.choose("method", {"by card": "card", "by check": "check"})
    with story.together():
        book = story.wish(
            (
                "Can you book {field} for me on {moment}, for {hours} hours?",
                "I would like to book {field} on {moment}, for {hours} hours.",
                "book {field} for me on {moment}, {hours} hours",
            ),
            short="booking {field} on {moment} for {hours} hours",
            field=field["name"],
            moment=start,
            hours=hours,
        )
        pay = story.wish(
            (
                "And I'd like to pay off the open bill that says {note}, {method}.",
                "Please also take the rest of what I owe on the open bill that says {note}, {method}.",
                "and pay off the open bill that says {note}, {method}",
            ),
            short="paying off the open bill that says {note}, {method}",
            note=charge["note"],
            method=method,
        )
    key = story.identify()
    charges = story.call("list_charges", wish=pay, member_id=key)["charges"]
    due = story.find([each for each in charges if each["status"] == "open"], note=charge["note"])
    fields = story.call("search_fields", wish=book, name=field["name"])["fields"]
    field_id = story.find(fields, name=field["name"])["field_id"]
    story.call("pay_charge", wish=pay, charge_id=due["charge_id"], amount_cents=due["owed_cents"], method=method)
    story.call("book_field", wish=book, member_id=key, field_id=field_id, starts_at=start, hours=hours)


@scenario(form="best_of")
def book_the_cheapest_turf(story: Story) -> None:
    """The member books the cheapest open turf field."""
    registration = story.pick(
        "registration", f"status <> 'withdrawn' AND {OWES_NOTHING} AND {TURF_AND_GRASS}", mine=True
    )
    team = story.row("team", registration["team_id"])["name"]
    surface = story.choose("surface", ["turf"])
    hours = story.choose("hours", [2, 3])
    start = story.moment(story.day(47), story.choose("time", ["17:30", "18:30"]))
    story.wish(
        (
            "{team} wants to practice after work. Can you book me the cheapest open {surface} field on {moment}, for {hours} hours?",
            "I would like to book the cheapest open {surface} field for {team} on {moment}, for {hours} hours, please.",
            "book me the cheapest open {surface} field on {moment} for {hours} hours, it's for {team}",
        ),
        short="booking the cheapest open {surface} field for {team} on {moment} for {hours} hours",
        team=team,
        surface=surface,
        moment=start,
        hours=hours,
    )
    key = story.identify()
    every = [each for each in story.call("search_fields")["fields"] if each["is_open"]]
    fitting = [each for each in every if each["surface"] == surface]
    best = story.lowest(fitting, "hourly_rate_cents")
    with story.wrong("forgets the surface"):
        cheap = story.lowest(every, "hourly_rate_cents")
        story.call("book_field", member_id=key, field_id=cheap["field_id"], starts_at=start, hours=hours)
    for other in story.others(fitting, best, 1):
        with story.wrong("takes another one that fits"):
            story.call("book_field", member_id=key, field_id=other["field_id"], starts_at=start, hours=hours)
    with story.wrong("books a shorter time"):
        story.call("book_field", member_id=key, field_id=best["field_id"], starts_at=start, hours=1)
    story.call("book_field", member_id=key, field_id=best["field_id"], starts_at=start, hours=hours)


@scenario
def put_a_pass_in_another_name(story: Story) -> None:
    """The member puts a season pass in another name."""
    season_pass = story.pick(
        "season_pass", f"{VALID}", unique_by=["member_id", "kind", "holder_name", "status"], mine=True
    )
    name = story.choose("name", ["Carla Dunn", "Victor Hale", "June Abbott"])
    story.wish(
        (
            "{holder} can't come this fall. Can you put the {kind} pass I bought for {holder} in {name}'s name?",
            "I would like to have the {kind} pass of {holder} put in the name of {name}, please.",
            "can you put the {kind} pass i got for {holder} in {name}'s name?",
        ),
        short="putting the {kind} pass of {holder} in the name of {name}",
        kind=season_pass["kind"],
        holder=season_pass["holder_name"],
        name=name,
    )
    passes = story.call("list_passes", member_id=story.identify())["passes"]
    active = [each for each in passes if each["status"] == "active"]
    mine = story.find(active, kind=season_pass["kind"], holder_name=season_pass["holder_name"])
    story.call("change_pass_holder", season_pass_id=mine["season_pass_id"], holder_name=name)


@scenario
def buy_a_pass(story: Story) -> None:
    """The member buys a season pass and asks how long it is good."""
    story.pick("registration", f"{OWES_NOTHING}", mine=True)
    name = story.choose("name", ["Rosa Keller", "Martin Doyle", "Nina Frost"])
    kind = story.choose("kind", ["spectator", "parking"])
    story.wish(
        (
            "{name} wants to come to all our games. Can you sell me a {kind} pass in that name, and what would be the price?",
            "I would like to buy a {kind} pass in the name of {name}. Could you please tell me the price?",
            "need a {kind} pass for {name}, can you sell me that? what's the price",
        ),
        short="selling me a {kind} pass in the name of {name} and telling me the price",
        name=name,
        kind=kind,
    )
    bought = story.call("buy_pass", member_id=story.identify(), kind=kind, holder_name=name)
    story.answer("price", story.money(bought["price_cents"]))


@scenario(form="fallback")
def work_a_game(story: Story) -> None:
    """The member wants an official's shift, or else comes to watch."""
    registration = story.pick(
        "registration", f"{NO_SHIFTS} AND {OWES_NOTHING} AND {LOAD} BETWEEN {MOST} - 1 AND {MOST}", mine=True
    )
    shift = story.pick(
        "shift",
        f"{OPEN_AHEAD} AND NOT EXISTS (SELECT 1 FROM game JOIN registration ON registration.team_id IN (game.home_team_id,"
        " game.away_team_id) WHERE game.game_id = shift.game_id AND registration.member_id = ? AND registration.status <> 'withdrawn')",
        registration["member_id"],
        unique_by=["game_id", "role"],
    )
    game = story.row("game", shift["game_id"])
    home = story.row("team", game["home_team_id"])["name"]
    away = story.row("team", game["away_team_id"])["name"]
    roles = {"referee": "referee", "line judge": "line_judge", "scorekeeper": "scorekeeper"}
    role = story.choose("role", {words: code for words, code in roles.items() if code == shift["role"]})
    work = story.wish(
        (
            "I could use the extra money. Can you sign me up as {role} for {home} against {away} on {moment}?",
            "I would like to work as {role} at {home} against {away} on {moment}, please.",
            "sign me up as {role} for {home} against {away} on {moment}? could use the money",
        ),
        short="signing me up as {role} for {home} against {away} on {moment}",
        role=role,
        home=home,
        away=away,
        moment=game["starts_at"],
    )
    name = story.choose("name", ["Wes Parker", "Gloria Finch"])
    kind = story.choose("kind", ["spectator"])
    watch = story.otherwise(
        work,
        (
            "Then I'll just come and watch. Sell me a {kind} pass in the name of {name}.",
            "In that case I will just watch. Please sell me a {kind} pass in the name of {name}.",
            "then i'll just watch, sell me a {kind} pass in the name of {name}",
        ),
        short="selling me a {kind} pass in the name of {name}",
        kind=kind,
        name=name,
    )
    key = story.identify()
    shifts = story.call("list_open_shifts", role=role)["shifts"]
    wanted = story.find(shifts, home_team_name=home, away_team_name=away, starts_at=game["starts_at"])
    with story.wrong("sells a parking pass"):
        story.call("buy_pass", wish=watch, member_id=key, kind="parking", holder_name=name)
    if story.permits("claim_shift", wish=work, shift_id=wanted["shift_id"], member_id=key):
        story.call("claim_shift", wish=work, shift_id=wanted["shift_id"], member_id=key)
    else:
        story.decline(work)
        story.call("buy_pass", wish=watch, member_id=key, kind=kind, holder_name=name)


@scenario(form="best_of")
def take_the_best_paid_job(story: Story) -> None:
    """The member takes the best paid shift that is not refereeing."""
    story.pick("registration", f"{NO_SHIFTS} AND {LOAD} < {MOST} AND {PLAIN_BEATEN}", mine=True)
    story.wish(
        (
            "I don't want to referee. Of all the other open shifts coming up, can you give me the one that pays the most?",
            "I would rather not referee. Of the other open shifts coming up, please give me the one that pays the most.",
            "give me the open shift that pays the most, any job but referee",
        ),
        short="giving me the open shift that pays the most, any job except referee",
    )
    key = story.identify()
    shifts = story.call("list_open_shifts")["shifts"]
    with story.wrong("takes a referee's job"):
        story.call("claim_shift", shift_id=story.highest(shifts, "pay_cents")["shift_id"], member_id=key)
    plain = [each for each in shifts if each["role"] != "referee"]
    best = story.highest(plain, "pay_cents")
    for other in story.others(plain, best, 1):
        with story.wrong("takes another one that fits"):
            story.call("claim_shift", shift_id=other["shift_id"], member_id=key)
    story.call("claim_shift", shift_id=best["shift_id"], member_id=key)


@scenario(form="coupled")
def swap_shifts(story: Story) -> None:
    """The official takes another shift and gives one back."""
    old = story.pick(
        "shift",
        f"status = 'claimed' AND {SHIFT_LOAD} = {SHIFT_MOST} AND EXISTS (SELECT 1 FROM game WHERE game.game_id = shift.game_id"
        " AND game.status = 'scheduled' AND game.starts_at > ?)",
        story.now,
        unique_by=["game_id", "role"],
        mine=True,
    )
    new = story.pick(
        "shift",
        f"{OPEN_AHEAD} AND role <> 'line_judge' AND game_id <> ? AND NOT EXISTS (SELECT 1 FROM game JOIN registration ON registration.team_id IN"
        " (game.home_team_id, game.away_team_id) WHERE game.game_id = shift.game_id AND registration.member_id = ?"
        " AND registration.status <> 'withdrawn') AND NOT EXISTS (SELECT 1 FROM game JOIN game AS other ON other.starts_at ="
        " game.starts_at JOIN shift AS job ON job.game_id = other.game_id WHERE game.game_id = shift.game_id"
        " AND job.member_id = ? AND job.status = 'claimed')",
        old["game_id"],
        old["member_id"],
        old["member_id"],
        unique_by=["game_id", "role"],
    )
    old_game = story.row("game", old["game_id"])
    new_game = story.row("game", new["game_id"])
    home = story.row("team", new_game["home_team_id"])["name"]
    away = story.row("team", new_game["away_team_id"])["name"]
    with story.together():
        take = story.wish(
            (
                "Can you sign me up as {role} for {home} against {away} on {moment}?",
                "I would like to work as {role} at {home} against {away} on {moment}.",
                "sign me up as {role} for {home} against {away} on {moment}",
            ),
            short="signing me up as {role} for {home} against {away} on {moment}",
            role=new["role"],
            home=home,
            away=away,
            moment=new_game["starts_at"],
        )
        give = story.wish(
            (
                "And take me off the shift I have on {old}, I can't make that one.",
                "Please also take me off my shift on {old}, which I cannot make.",
                "and take me off my shift on {old}, can't make it",
            ),
            short="taking me off my shift on {old}",
            old=old_game["starts_at"],
        )
    key = story.identify()
    mine = story.call("list_member_shifts", wish=give, member_id=key)["shifts"]
    mine = [each for each in mine if each["status"] == "claimed"]
    back = story.find(mine, starts_at=old_game["starts_at"])
    shifts = story.call("list_open_shifts", wish=take, role=new["role"])["shifts"]
    wanted = story.find(
        shifts, role=new["role"], home_team_name=home, away_team_name=away, starts_at=new_game["starts_at"]
    )
    story.call("release_shift", wish=give, shift_id=back["shift_id"])
    story.call("claim_shift", wish=take, shift_id=wanted["shift_id"], member_id=key)


@scenario(form="looked_up")
def cancel_the_pass_that_was_due(story: Story) -> None:
    """The member cancels the pass whose bill was due on a day."""
    season_pass = story.pick(
        "season_pass",
        f"{VALID} AND (SELECT count(*) FROM season_pass AS other WHERE other.member_id = season_pass.member_id"
        " AND other.status = 'active' AND other.valid_through >= ?) > 1",
        story.today,
        mine=True,
    )
    charge = story.pick(
        "charge",
        "season_pass_id = ? AND NOT EXISTS (SELECT 1 FROM charge AS twin WHERE twin.charge_id <> charge.charge_id"
        " AND twin.member_id = charge.member_id AND twin.kind = 'season_pass' AND twin.due_on = charge.due_on)",
        season_pass["season_pass_id"],
    )
    story.wish(
        (
            "I have a few season passes and don't need all of them. Can you cancel the one with the bill due on {day}?",
            "I would like to cancel one of my season passes, the one with the bill due on {day}.",
            "cancel one of my season passes, the one with the bill due on {day}",
        ),
        short="canceling the season pass with the bill due on {day}",
        day=charge["due_on"],
    )
    key = story.identify()
    charges = story.call("list_charges", member_id=key)["charges"]
    bills = [each for each in charges if each["kind"] == "season_pass"]
    bill = story.find(bills, due_on=charge["due_on"])
    passes = story.call("list_passes", member_id=key)["passes"]
    valid = [each for each in passes if each["status"] == "active" and each["valid_through"] >= story.today]
    mine = story.find(valid, season_pass_id=bill["season_pass_id"])
    for other in story.others(valid, mine):
        with story.wrong("takes another one of them"):
            story.call("cancel_pass", season_pass_id=other["season_pass_id"])
    story.call("cancel_pass", season_pass_id=mine["season_pass_id"])


@scenario
def withdraw_an_appeal(story: Story) -> None:
    """The member takes back an appeal."""
    suspension = story.pick("suspension", "status = 'under_appeal'", unique_by=["member_id", "reason"], mine=True)
    story.wish(
        (
            "I've cooled off and I'll just sit it out. Can you withdraw my appeal? The suspension says {reason}.",
            "I would like to withdraw my appeal. The suspension says {reason}, and I will serve it.",
            "can you withdraw my appeal? suspension says {reason}, i'll just serve it",
        ),
        short="withdrawing my appeal of the suspension that says {reason}",
        reason=suspension["reason"],
    )
    appeals = story.call("list_appeals", member_id=story.identify())["appeals"]
    filed = [each for each in appeals if each["status"] == "filed"]
    story.call("withdraw_appeal", appeal_id=story.find(filed, suspension_reason=suspension["reason"])["appeal_id"])


@scenario
def appeal_with_a_hearing(story: Story) -> None:
    """The member appeals a suspension and asks for a hearing."""
    suspension = story.pick(
        "suspension",
        f"status = 'active' AND games_total - games_served >= 2 AND {NEVER_DENIED}",
        unique_by=["member_id", "reason"],
        mine=True,
    )
    hearing = story.choose("hearing", {"with a hearing": True})
    witness = story.choose("witness", ["center", "quarterback", "safety"])
    statement = story.dictate("statement", "That was not me, ask our {witness}", witness=witness)
    story.wish(
        (
            "I want to appeal my suspension, the one that says {reason}, {hearing}. For my side, put exactly this: {statement}",
            "I would like to appeal the suspension that says {reason}, {hearing}. As my statement, please put exactly this: {statement}",
            "appeal my suspension that says {reason}, {hearing}. for my side put exactly this: {statement}",
        ),
        short="appealing the suspension that says {reason}, {hearing}, with the words I gave you, {statement}",
        reason=suspension["reason"],
        hearing=hearing,
        statement=statement,
    )
    suspensions = story.call("list_suspensions", member_id=story.identify())["suspensions"]
    mine = story.find(suspensions, reason=suspension["reason"])
    story.call("file_appeal", suspension_id=mine["suspension_id"], statement=statement, wants_hearing=hearing)


@scenario(form="coupled")
def appeal_again(story: Story) -> None:
    """The member files a better appeal and withdraws the one that is running."""
    suspension = story.pick(
        "suspension",
        f"status = 'under_appeal' AND games_total - games_served >= 2 AND {NEVER_DENIED}",
        unique_by=["member_id", "reason"],
        mine=True,
    )
    proof = story.choose("proof", ["video", "photo", "score sheet"])
    statement = story.dictate("statement", "The {proof} shows that I let go", proof=proof)
    with story.together():
        file = story.wish(
            (
                "I have better proof now. Can you file a new appeal for the suspension that says {reason}? Put exactly this: {statement}",
                "I would like to file a new appeal for the suspension that says {reason}. Please put exactly this: {statement}",
                "file a new appeal for my suspension that says {reason}, put exactly this: {statement}",
            ),
            short="filing a new appeal for the suspension that says {reason} with the words I gave you, {statement}",
            reason=suspension["reason"],
            statement=statement,
        )
        drop = story.wish(
            (
                "And withdraw the appeal I filed before for {reason}.",
                "Please also withdraw my earlier appeal for {reason}.",
                "and withdraw my old appeal for {reason}",
            ),
            short="withdrawing my earlier appeal for {reason}",
            reason=suspension["reason"],
        )
    key = story.identify()
    appeals = story.call("list_appeals", wish=drop, member_id=key)["appeals"]
    old = story.find([each for each in appeals if each["status"] == "filed"], suspension_reason=suspension["reason"])
    story.call("withdraw_appeal", wish=drop, appeal_id=old["appeal_id"])
    story.call("file_appeal", wish=file, suspension_id=old["suspension_id"], statement=statement)


@scenario
def pay_everything(story: Story) -> None:
    """The member pays off two open bills and asks for the total."""
    first = story.pick(
        "charge",
        f"status = 'open' AND note IS NOT NULL AND {OPEN_ONES} > 1",
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    second = story.pick(
        "charge",
        "status = 'open' AND note IS NOT NULL AND charge_id <> ?",
        first["charge_id"],
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    story.wish(
        (
            "I want to get square on two open bills, the ones that say {first} and {second}. Can you take it all {method}, and what's the total?",
            "I would like to pay off the open bills that say {first} and {second}, both {method}. Could you please tell me the total?",
            "pay off my open bills that say {first} and {second}, {method}, and what's the total",
        ),
        short="paying off the open bills that say {first} and {second} {method} and telling me the total",
        first=first["note"],
        second=second["note"],
        method=method,
    )
    charges = story.call("list_charges", member_id=story.identify())["charges"]
    due = [each for each in charges if each["status"] == "open"]
    one = story.find(due, note=first["note"])
    two = story.find(due, note=second["note"])
    paid = story.call("pay_charges", charge_ids=[one["charge_id"], two["charge_id"]], method=method)
    story.answer("total", story.money(paid["total_paid_cents"]))


@scenario
def pay_a_part(story: Story) -> None:
    """The member pays a part of a bill and asks how much is left."""
    charge = story.pick(
        "charge",
        "status = 'open' AND note IS NOT NULL AND amount_cents - paid_cents > 1500",
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    amount = story.money(story.choose("amount", [500, 1000, 1200]))
    method = story.choose("method", {"by card": "card", "in cash": "cash"})
    story.wish(
        (
            "I can put {amount} toward the open bill that says {note}, {method}. Can you take it and tell me the amount left on it?",
            "I would like to pay {amount} toward the open bill that says {note}, {method}. What is the amount left on it after that?",
            "take {amount} {method} toward the open bill that says {note}, and what's the amount left on it",
        ),
        short="taking {amount} {method} toward the open bill that says {note} and telling me the amount left on it",
        amount=amount,
        note=charge["note"],
        method=method,
    )
    charges = story.call("list_charges", member_id=story.identify())["charges"]
    mine = story.find([each for each in charges if each["status"] == "open"], note=charge["note"])
    paid = story.call("pay_charge", charge_id=mine["charge_id"], amount_cents=amount, method=method)
    story.answer("amount left", story.money(paid["owed_cents"]))


@scenario
def ask_where_i_stand(story: Story) -> None:
    """The member asks what is overdue and how much credit is left."""
    story.pick(
        "charge",
        "status = 'open' AND EXISTS (SELECT 1 FROM member WHERE member.member_id = charge.member_id AND credit_cents > 0)",
        mine=True,
    )
    story.wish(
        (
            "I'm trying to sort out my bills. How much do I have in account credit, and what's my total owed?",
            "I would like to know how much account credit I have. Could you also tell me the total owed?",
            "how much account credit do i have and what's my total owed",
        ),
        short="telling me my account credit and my total owed",
    )
    account = story.call("get_account", member_id=story.identify())
    story.answer("account credit", story.money(account["credit_cents"]))
    story.answer("total owed", story.money(account["owed_cents"]))


@scenario(form="denied")
def ask_for_more_time(story: Story) -> None:
    """The member wants more time to pay a bill."""
    charge = story.pick(
        "charge",
        f"status = 'open' AND note IS NOT NULL AND due_on < ? AND {OPEN_ONES} <= {OPEN_LIMIT} + 1",
        story.day(30),
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    day = story.day(story.choose("days", [35, 42]))
    more = story.wish(
        (
            "Money's tight this month. Can you give me until {day} to pay the open bill that says {note}?",
            "I would like to have until {day} to pay the open bill that says {note}, please.",
            "can i have until {day} for the open bill that says {note}? money's tight",
        ),
        short="giving me until {day} to pay the open bill that says {note}",
        day=day,
        note=charge["note"],
    )
    story.insists(
        more,
        (
            "Payday just doesn't line up, and I don't want to fall behind.",
            "My payday does not line up, and I do not want to fall behind.",
            "payday just doesn't line up for me",
        ),
    )
    story.insists(
        more,
        (
            "I always settle up in the end.",
            "I always settle my bills in the end.",
            "i always pay up in the end",
        ),
    )
    charges = story.call("list_charges", member_id=story.identify())["charges"]
    mine = story.find([each for each in charges if each["status"] == "open"], note=charge["note"])
    with story.wrong("takes another day"):
        story.call("extend_due_date", charge_id=mine["charge_id"], due_on=story.day(49))
    if story.permits("extend_due_date", charge_id=mine["charge_id"], due_on=day):
        story.call("extend_due_date", charge_id=mine["charge_id"], due_on=day)
    else:
        story.decline(more)


@scenario(form="denied")
def get_money_back(story: Story) -> None:
    """The member wants a payment refunded in full."""
    payment = story.pick(
        "payment",
        "refunded_cents = 0 AND charge_id IN (SELECT charge_id FROM charge WHERE note IS NOT NULL)",
        unique_by=["charge_id.member_id", "charge_id.note"],
        mine=True,
    )
    note = story.row("charge", payment["charge_id"])["note"]
    back = story.wish(
        (
            "Things changed and I'd like my money back. Can you refund the whole payment that says {note}?",
            "I would like a full refund of the payment that says {note}, please.",
            "can i get a full refund of the payment that says {note}?",
        ),
        short="refunding the whole payment that says {note}",
        note=note,
    )
    story.insists(
        back,
        (
            "That's a lot of money for me right now.",
            "That is a great deal of money for me at the moment.",
            "that's real money for me right now",
        ),
    )
    story.insists(
        back,
        (
            "I thought this league takes care of its people.",
            "I thought that this league took care of its members.",
            "thought this league takes care of its people",
        ),
    )
    payments = story.call("list_payments", member_id=story.identify())["payments"]
    mine = story.find(payments, charge_note=note)
    with story.wrong("turns it into credit"):
        story.call("refund_payment", payment_id=mine["payment_id"], amount_cents=mine["amount_cents"], as_credit=True)
    with story.wrong("refunds only a part"):
        story.call("refund_payment", payment_id=mine["payment_id"], amount_cents=100)
    if story.permits("refund_payment", payment_id=mine["payment_id"], amount_cents=mine["amount_cents"]):
        story.call("refund_payment", payment_id=mine["payment_id"], amount_cents=mine["amount_cents"])
    else:
        story.decline(back)


@scenario(form="denied")
def let_me_off_a_bill(story: Story) -> None:
    """The member wants the rest of a bill waived."""
    charge = story.pick(
        "charge",
        "status = 'open' AND note IS NOT NULL",
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    let = story.wish(
        (
            "I don't think I should have to pay the open bill that says {note}. Can you waive what's left of it?",
            "I would like to have the open bill that says {note} waived. Could you please take care of it?",
            "can you waive the open bill that says {note}? don't think it's fair",
        ),
        short="waiving the open bill that says {note}",
        note=charge["note"],
    )
    story.insists(
        let,
        (
            "It's been a rough year, a little help would go a long way.",
            "This has been a difficult year, and a little help would mean a lot.",
            "rough year, a little help would go a long way",
        ),
    )
    story.insists(
        let,
        (
            "I put a lot of time into this league.",
            "I put a great deal of time into this league.",
            "i put so much time into this league",
        ),
    )
    charges = story.call("list_charges", member_id=story.identify())["charges"]
    mine = story.find([each for each in charges if each["status"] == "open"], note=charge["note"])
    with story.wrong("gives more time instead"):
        story.call("extend_due_date", charge_id=mine["charge_id"], due_on=story.day(60))
    with story.wrong("takes the money"):
        story.call("pay_charge", charge_id=mine["charge_id"], amount_cents=mine["owed_cents"], method="card")
    if story.permits("waive_charge", charge_id=mine["charge_id"]):
        story.call("waive_charge", charge_id=mine["charge_id"])
    else:
        story.decline(let)


@scenario
def cancel_a_pass(story: Story) -> None:
    """The member cancels a season pass."""
    season_pass = story.pick(
        "season_pass",
        "status = 'active' AND valid_through >= ?",
        story.today,
        unique_by=["member_id", "kind", "holder_name", "status"],
        mine=True,
    )
    story.wish(
        (
            "{holder} moved out of state. Can you cancel the {kind} pass I bought for {holder}, and what was its price?",
            "I would like to cancel the {kind} pass of {holder}. Could you please tell me its price?",
            "cancel the {kind} pass i got for {holder}, they moved away. and what was its price",
        ),
        short="canceling the {kind} pass of {holder} and telling me its price",
        holder=season_pass["holder_name"],
        kind=season_pass["kind"],
    )
    passes = story.call("list_passes", member_id=story.identify())["passes"]
    active = [each for each in passes if each["status"] == "active"]
    mine = story.find(active, kind=season_pass["kind"], holder_name=season_pass["holder_name"])
    canceled = story.call("cancel_pass", season_pass_id=mine["season_pass_id"])
    story.answer("price", story.money(canceled["price_cents"]))


@scenario(form="ambiguous")
def get_one_payment_back(story: Story) -> None:
    """The member wants one of several payments refunded in full."""
    payment = story.pick(
        "payment",
        f"{NAMED} AND paid_at > ? AND {FOUR_PAYMENTS}",
        story.day(-44),
        unique_by=["charge_id.member_id", "charge_id.note"],
        mine=True,
    )
    note = story.row("charge", payment["charge_id"])["note"]
    back = story.wish(
        (
            "One of my payments shouldn't have gone through. Can you refund all of it?",
            "I would like a full refund of one of my payments. Could you please take care of it?",
            "can you refund one of my payments, the whole thing?",
        )
    )
    story.keep_back("charge", note)
    story.in_short(back, "refunding one of my payments in full, the one for {note}", note=note)
    payments = story.call("list_payments", member_id=story.identify())["payments"]
    whole = [each for each in payments if each["refunded_cents"] == 0]
    mine = story.find(whole, charge_note=note)
    for other in story.others(whole, mine):
        with story.wrong("takes another one that fits"):
            story.call("refund_payment", payment_id=other["payment_id"], amount_cents=other["amount_cents"])
    story.call("refund_payment", payment_id=mine["payment_id"], amount_cents=mine["amount_cents"])


@scenario(form="ambiguous")
def turn_a_payment_into_credit(story: Story) -> None:
    """The member wants one of several payments back as account credit."""
    payment = story.pick(
        "payment",
        f"{NAMED} AND paid_at > ? AND {FOUR_PAYMENTS}",
        story.day(-44),
        unique_by=["charge_id.member_id", "charge_id.note"],
        mine=True,
    )
    note = story.row("charge", payment["charge_id"])["note"]
    credit = story.choose("credit", {"as account credit": True})
    back = story.wish(
        (
            "I'd like one of my payments back {credit}, all of it. Can you do that?",
            "I would like to have one of my payments back {credit}, in full, please.",
            "put one of my payments back {credit}, the whole thing pls",
        ),
        credit=credit,
    )
    story.keep_back("charge", note)
    story.in_short(
        back, "putting one of my payments back {credit} in full, the one for {note}", credit=credit, note=note
    )
    payments = story.call("list_payments", member_id=story.identify())["payments"]
    whole = [each for each in payments if each["refunded_cents"] == 0]
    mine = story.find(whole, charge_note=note)
    for other in story.others(whole, mine):
        with story.wrong("takes another one that fits"):
            story.call(
                "refund_payment", payment_id=other["payment_id"], amount_cents=other["amount_cents"], as_credit=credit
            )
    story.call("refund_payment", payment_id=mine["payment_id"], amount_cents=mine["amount_cents"], as_credit=credit)


@scenario(form="looked_up")
def get_the_payment_of_a_due_day_back(story: Story) -> None:
    """The member wants the payment back of the bill that was due on a day."""
    payment = story.pick(
        "payment",
        f"refunded_cents = 0 AND paid_at > ? AND {FOUR_PAYMENTS}"
        " AND NOT EXISTS (SELECT 1 FROM payment AS half WHERE half.charge_id = payment.charge_id AND half.payment_id <> payment.payment_id)"
        " AND NOT EXISTS (SELECT 1 FROM charge AS own JOIN charge AS twin ON twin.member_id = own.member_id AND twin.due_on = own.due_on"
        " AND twin.charge_id <> own.charge_id WHERE own.charge_id = payment.charge_id)",
        story.day(-44),
        mine=True,
    )
    day = story.row("charge", payment["charge_id"])["due_on"]
    story.wish(
        (
            "Things changed on my end. Can you refund the whole payment on my bill that was due on {day}?",
            "I would like a full refund of my payment on the bill that was due on {day}, please.",
            "refund the whole payment on my bill due on {day} pls",
        ),
        short="refunding the whole payment on the bill due on {day}",
        day=day,
    )
    key = story.identify()
    charges = story.call("list_charges", member_id=key)["charges"]
    bill = story.find(charges, due_on=day)
    payments = story.call("list_payments", member_id=key)["payments"]
    mine = story.find(payments, charge_id=bill["charge_id"])
    for other in story.others(payments, mine):
        with story.wrong("takes another payment"):
            story.call("refund_payment", payment_id=other["payment_id"], amount_cents=other["amount_cents"])
    story.call("refund_payment", payment_id=mine["payment_id"], amount_cents=mine["amount_cents"])


@scenario(form="looked_up")
def change_the_number_by_the_bill(story: Story) -> None:
    """The player changes the number on the team whose bill was due on a day."""
    registration = story.pick(
        "registration",
        f"status <> 'withdrawn' AND {NUMBERS_FREE} AND (SELECT count(*) FROM registration AS own WHERE own.member_id ="
        " registration.member_id AND own.status <> 'withdrawn') > 1",
        mine=True,
    )
    charge = story.pick(
        "charge",
        "registration_id = ? AND NOT EXISTS (SELECT 1 FROM charge AS twin WHERE twin.member_id = charge.member_id"
        " AND twin.kind = 'registration' AND twin.due_on = charge.due_on AND twin.charge_id <> charge.charge_id)",
        registration["registration_id"],
    )
    number = story.choose("number", [7, 21, 34, 88])
    story.wish(
        (
            "I play on more than one team. On the one with the registration bill due on {day}, can you make me number {number}?",
            "I play on more than one team. Please change my number to {number} on the one with the registration bill due on {day}.",
            "make me number {number} on the team with the registration bill due on {day}, not the other one",
        ),
        short="making me number {number} on the team with the registration bill due on {day}",
        number=number,
        day=charge["due_on"],
    )
    key = story.identify()
    charges = story.call("list_charges", member_id=key)["charges"]
    bills = [each for each in charges if each["kind"] == "registration"]
    bill = story.find(bills, due_on=charge["due_on"])
    registrations = story.call("list_registrations", member_id=key)["registrations"]
    live = [each for each in registrations if each["status"] != "withdrawn"]
    mine = story.find(live, registration_id=bill["registration_id"])
    for other in story.others(live, mine, 1):
        with story.wrong("takes the other team"):
            story.call("change_jersey_number", registration_id=other["registration_id"], jersey_number=number)
    story.call("change_jersey_number", registration_id=mine["registration_id"], jersey_number=number)


@scenario(form="changed_mind")
def pick_another_number(story: Story) -> None:
    """The player picks a number and then another one."""
    registration = story.pick(
        "registration", f"status <> 'withdrawn' AND {NUMBERS_FREE}", unique_by=["member_id", "team_id.name"], mine=True
    )
    team = story.row("team", registration["team_id"])["name"]
    first = story.choose("first number", [7, 21])
    second = story.choose("number", [34, 88])
    change = story.wish(
        (
            "I want a fresh start with {team}. Can you change my number to {number}?",
            "I would like to change my number on {team} to {number}, please.",
            "can you change my number on {team} to {number}",
        ),
        short="changing my number on {team} to {number}",
        team=team,
        number=first,
    )
    correct = story.changes_mind(
        change,
        (
            "On second thought, make my number on {team} {number}.",
            "On second thought, please make my number on {team} {number}.",
            "actually make my number on {team} {number}",
        ),
        short="changing my number on {team} to {number}",
        team=team,
        number=second,
    )
    registrations = story.call("list_registrations", wish=change, member_id=story.identify())["registrations"]
    mine = story.find(registrations, team_name=team)
    story.call("change_jersey_number", wish=change, registration_id=mine["registration_id"], jersey_number=first)
    story.call("change_jersey_number", wish=correct, registration_id=mine["registration_id"], jersey_number=second)


@scenario(form="changed_mind")
def put_a_pass_in_a_better_name(story: Story) -> None:
    """The member puts a pass in another name and then in yet another."""
    season_pass = story.pick(
        "season_pass",
        "status = 'active' AND valid_through >= ?",
        story.today,
        unique_by=["member_id", "kind", "holder_name", "status"],
        mine=True,
    )
    first = story.choose("first name", ["Leah Nolan", "Peter Stroud"])
    second = story.choose("name", ["Hank Ferris", "Dora Quinn"])
    change = story.wish(
        (
            "{holder} can't use the {kind} pass I bought. Can you put it in the name of {name}?",
            "I would like the {kind} pass of {holder} to be put in the name of {name}.",
            "put the {kind} pass i got for {holder} in the name of {name} pls",
        ),
        short="putting the {kind} pass of {holder} in the name of {name}",
        holder=season_pass["holder_name"],
        kind=season_pass["kind"],
        name=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Actually, put that {kind} pass in the name of {name} instead.",
            "On second thought, please put that {kind} pass in the name of {name}.",
            "actually put that {kind} pass in the name of {name}",
        ),
        short="putting that {kind} pass in the name of {name}",
        kind=season_pass["kind"],
        name=second,
    )
    passes = story.call("list_passes", wish=change, member_id=story.identify())["passes"]
    active = [each for each in passes if each["status"] == "active"]
    mine = story.find(active, kind=season_pass["kind"], holder_name=season_pass["holder_name"])
    story.call("change_pass_holder", wish=change, season_pass_id=mine["season_pass_id"], holder_name=first)
    story.call("change_pass_holder", wish=correct, season_pass_id=mine["season_pass_id"], holder_name=second)


@scenario(form="all_but")
def pay_all_but_one(story: Story) -> None:
    """The member pays all open bills except the one in question."""
    charge = story.pick(
        "charge",
        f"status = 'open' AND note IS NOT NULL AND {OPEN_ONES} BETWEEN 3 AND 6",
        unique_by=["member_id", "note", "status"],
        mine=True,
    )
    method = story.choose("method", {"by card": "card", "by check": "check"})
    story.wish(
        (
            "I'm still arguing about {note}. Can you take payment for all my other open bills, {method}?",
            "I would like to pay all of my open bills {method}, except the one that says {note}.",
            "pay all my open bills {method} except the one that says {note}",
        ),
        short="paying all my open bills {method} except the one that says {note}",
        note=charge["note"],
        method=method,
    )
    charges = story.call("list_charges", member_id=story.identify())["charges"]
    due = [each for each in charges if each["status"] == "open"]
    with story.wrong("forgets the exception"):
        for each in due:
            story.call("pay_charge", charge_id=each["charge_id"], amount_cents=each["owed_cents"], method=method)
    for each in story.all_but(due, note=charge["note"]):
        story.call("pay_charge", charge_id=each["charge_id"], amount_cents=each["owed_cents"], method=method)


@scenario(form="each")
def let_me_off_everything(story: Story) -> None:
    """The member wants all open bills waived; some are overdue."""
    story.pick("member", f"{SOME_NOT_DUE}", mine=True)
    off = story.wish(
        (
            "I lost my job last month. Can you waive all of my open bills?",
            "I lost my job last month. I would like all of my open bills to be waived, please.",
            "can you waive all my open bills? lost my job last month",
        ),
        short="waiving all of my open bills",
    )
    charges = story.call("list_charges", member_id=story.identify())["charges"]
    due = [each for each in charges if each["status"] == "open"]
    for each in story.each(due):
        if story.permits("waive_charge", charge_id=each["charge_id"]):
            story.call("waive_charge", charge_id=each["charge_id"])
        else:
            story.decline(off)


@scenario(form="each")
def get_everything_back(story: Story) -> None:
    """The member wants every payment refunded; some are too old."""
    story.pick("member", f"{OLD_AND_NEW_PAYMENTS}", mine=True)
    back = story.wish(
        (
            "I'm moving overseas and won't be around anymore. Can you refund every payment I've made, in full?",
            "I am moving overseas. I would like a full refund of every payment I have made, please.",
            "can you refund every payment i made, in full? moving overseas",
        ),
        short="refunding every payment I made in full",
    )
    payments = story.call("list_payments", member_id=story.identify())["payments"]
    for each in story.each(payments):
        if story.permits("refund_payment", payment_id=each["payment_id"], amount_cents=each["amount_cents"]):
            story.call("refund_payment", payment_id=each["payment_id"], amount_cents=each["amount_cents"])
        else:
            story.decline(back)


@scenario(form="each")
def put_all_games_off(story: Story) -> None:
    """The captain wants all coming games postponed; some are too close or were postponed before."""
    team = story.pick("team", f"{SOME_FAR_GAMES}", unique_by=["captain_member_id", "name"], mine=True)
    cause = story.choose("cause", ["flu", "food poisoning", "poison ivy"])
    reason = story.dictate("reason", "Half the team is out with {cause}", cause=cause)
    off = story.wish(
        (
            "We're in bad shape. Can you postpone every {team} game that's still scheduled ahead? For the reason, put exactly this: {reason}",
            "I would like every {team} game that is still scheduled ahead to be postponed. As the reason, please put exactly this: {reason}",
            "postpone every {team} game that's still scheduled ahead, for the reason put exactly this: {reason}",
        ),
        short="postponing every {team} game still scheduled ahead with the reason I gave you, {reason}",
        team=team["name"],
        reason=reason,
    )
    key = story.identify()
    teams = story.call("search_teams", name=team["name"], captain_member_id=key)["teams"]
    mine = story.find(teams, name=team["name"])
    games = story.call("list_team_games", team_id=mine["team_id"])["games"]
    ahead = [each for each in games if each["status"] == "scheduled" and each["starts_at"] > story.now]
    for each in story.each(ahead):
        if story.permits("postpone_game", game_id=each["game_id"], reason=reason):
            story.call("postpone_game", game_id=each["game_id"], reason=reason)
        else:
            story.decline(off)
