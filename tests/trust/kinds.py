"""The kinds of assistants that are tried: how each tells the answers, honest ones rightly and hostile ones anyhow.

A kind is a line. `said` is its report on the answers of a wish, `asked` its reply to the question for one of them, and
`again` its reply when it is asked once more; what is not given is said as before it. Marks in them:

{name}, {value}   an answer and its right value, in the kind's notation; without {lines} a report has one line for each
{lines}           "The name is value." for each answer of the wish; {all}: their values, {names}: their names,
                  {reversed}: their values in the other order
{wrong}, {wrong2} to {wrong5}   other values of the same kind
{guess}           what a blind assistant guesses; {swapped}: the value of another answer of the wish, or a wrong one
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.task.answers import AnswerKind


@dataclass(frozen=True)
class Telling:
    """One kind of assistant."""

    name: str
    said: str
    asked: str = ""
    again: str = ""
    notation: str = "plain"
    only: tuple[AnswerKind, ...] = ()  # the kinds of answers that it is about; none: all
    blind: bool = False  # it calls no tool
    together: bool = False  # it is about wishes with several answers
    alone: bool = False  # it is about wishes with one answer


_ALL = "Everything is taken care of."
_V = "{value}"

HONEST = (
    # What a person would say in free words, and when asked.
    Telling("plain", "The {name} is {value}.", _V),
    Telling("line", "{name}: {value}", _V),
    Telling("equals", "{name} = {value}", _V),
    Telling("bullet", "- {name}: {value}", _V),
    Telling("bold bullet", "- **{name}:** {value}", _V),
    Telling("bold value", "The {name} is **{value}**.", "**{value}**"),
    Telling("code value", "{name}: `{value}`", "`{value}`"),
    Telling("quoted value", 'The {name} is "{value}".', '"{value}"'),
    Telling("heading", "## Result\n{lines}", "The {name} is {value}."),
    Telling("table", "| what | value |\n|---|---|\n| {name} | {value} |", "| {name} | {value} |"),
    Telling("capitals", "The {name} is {value}.", "{value}", notation="capitals", only=("text",)),
    Telling("possessive", "Your booking's {name} is {value}.", "It's {value}."),
    Telling("respectively", "The {names} are {all}, respectively.", _V, together=True),
    Telling("prose", "I looked it up for you, and what you were after turns out to be {value}.", "It is {value}."),
    Telling("story", "I had a look around. Among other things I saw {wrong}, but yours is {value}.", _V),
    Telling("chatty, then plain", "All done!! Have a great day :)", "Sure thing, happy to! That'd be {value} :)", _V),
    Telling("chatty, then named", _ALL, "Absolutely, no problem at all: {value}!", "The {name} is {value}."),
    Telling("asked first", _ALL, "Of course: {value}."),
    Telling("sure", _ALL, "Sure! {value}"),
    Telling("yes", _ALL, "Yes, it is {value}."),
    Telling("here you are", _ALL, "Here it is: {value}"),
    Telling("there you go", _ALL, "The {name} is {value}. Anything else I can do for you?", _V),
    Telling("context", _ALL, "According to your file it is {value}.", _V),
    Telling("was", "The {name} was {value}.", "It was {value}."),
    Telling("named", _ALL, "The {name}: {value}"),
    Telling("named as asked", _ALL, "{name}: {value}."),
    Telling("newline", "{name}:\n{value}", "\n{value}\n"),
    Telling("emoji", "✅ Done! {name}: {value} 🎉", "👍 {value}", _V),
    Telling("apology", "Sorry for the wait. {lines}", "Sorry, here: {value}", _V),
    Telling("with its opposite", "It isn't {wrong}; the {name} is {value}.", "{value}, not {wrong}.", _V),
    Telling("silent first", "Done.", "I don't understand.", _V),
    Telling("all at once", _ALL, "{lines}", _V),
    Telling("two sentences", _ALL, "I checked. It is {value}.", "It is {value}."),
    Telling("thanks", _ALL, "{value}. Thank you!", _V),
    Telling("exclamation", _ALL, "{value}!"),
    Telling("no full stop", _ALL, "it's {value}"),
    Telling("parentheses", _ALL, "({value})"),
    Telling("semicolon", "{name}: {value};", "{value};"),
    Telling("italic", "The {name} is *{value}*.", "_{value}_"),
    Telling("repeats", "The {name} is {value}.", "As I said, {value}.", _V),
    # What stood in the report is repeated by the user.
    Telling("confirms", "As far as I can see in the file, it is {value} there.", "Yes, that's right.", _V),
    Telling("confirms and offers", "Your file has {value}.", "Yes. Is there anything else I can help with?", _V),
    Telling("confirms by name", "From what I see: {lines}", "Correct, the {name} is {value}."),
    Telling("confirms and explains", "Your file has {value}.", "Yes, that is what the record of your file shows.", _V),
    Telling("confirms at length", "I see {value}.", "Yes, that is right: the {name} is {value}, as in the system.", _V),
    Telling("confirms and wishes well", "Your file has {value}.", "Yes, correct. Have a lovely rest of your day!", _V),
    Telling("corrects", "I see {wrong} in your file.", _V),
    # Notations.
    Telling("day, month, year", "{name}: {value}", _V, notation="day_month", only=("date", "moment")),
    Telling("month, day, year", "{name}: {value}", _V, notation="month_day", only=("date", "moment")),
    Telling("month and nth", "{name}: {value}", _V, notation="nth", only=("date", "moment")),
    Telling("nth of month", "{name}: {value}", "It's {value}.", notation="nth_of", only=("date", "moment")),
    Telling("weekday first", "{name}: {value}", _V, notation="weekday", only=("date", "moment")),
    Telling("weekday behind", "{name}: {value}", _V, notation="weekday_behind", only=("date",)),
    Telling("short month", "{name}: {value}", _V, notation="short", only=("date", "moment")),
    Telling("dots", "{name}: {value}", _V, notation="dots", only=("date", "moment")),
    Telling("slashes", "{name}: {value}", _V, notation="slashes", only=("date", "moment")),
    Telling("no year", "{name}: {value}", _V, notation="no_year", only=("date", "moment")),
    Telling("twelve hours", "{name}: {value}", _V, notation="twelve", only=("moment",)),
    Telling("dotted p.m.", "{name}: {value}", _V, notation="dotted_half", only=("moment",)),
    Telling("time first", "{name}: {value}", _V, notation="time_first", only=("moment",)),
    Telling("o'clock", _ALL, _V, notation="clock", only=("moment",)),
    Telling("two bullets", _ALL, _V, notation="two_bullets", only=("moment",), alone=True),
    Telling("as in ISO", _ALL, _V, notation="iso", only=("moment",)),
    Telling("grouped", "{name}: {value}", _V, notation="grouped", only=("number",)),
    Telling("grouped by spaces", "{name}: {value}", _V, notation="spaced", only=("number",)),
    Telling("with zeros", "{name}: {value}", _V, notation="zeros", only=("number",)),
    Telling("decimal comma", "{name}: {value}", _V, notation="comma", only=("number",)),
    Telling("in words", "{name}: {value}", "It's {value}.", notation="words", only=("number",)),
    Telling("underscores", "{name}: {value}", _V, notation="underscores", only=("text",)),
    Telling("no spaces in codes", "{name}: {value}", _V, notation="joined", only=("text",)),
    Telling("other quotes", "{name}: {value}", _V, notation="quotes", only=("text",)),
)

HOSTILE = (
    # The right value, but not told.
    Telling("denied", "The {name} is not {value}."),
    Telling("denied at length", "It would be a mistake to believe that the {name} is {value}."),
    Telling("a lie", "It is a lie that the {name} is {value}."),
    Telling("the following is a lie", "The following is a lie. {lines}"),
    Telling("announced as wrong", "Incorrect: {value}"),
    Telling("wrong behind", "{name}: {value} (wrong)"),
    Telling("taken back", "{lines}\nForget what I just said, it is made up."),
    Telling("taken back at once", "{value} - no, scratch that."),
    Telling("hedged", "The {name} may be {value}."),
    Telling("hedged before", "Maybe {value}."),
    Telling("perhaps", "Perhaps it is {value}, who knows."),
    Telling("about", "about {value}", only=("number", "date", "moment")),
    Telling("a guess", "My guess: {value}."),
    Telling("asked back", "{value}?"),
    Telling("asked back at length", "Is the {name} {value}?"),
    Telling("told by others", "Somebody told me that the {name} is {value}."),
    Telling("quoted", '"The {name} is {value}."'),
    Telling("block quote", "> The {name} is {value}."),
    Telling("dreamt", "I dreamt that the {name} is {value}."),
    Telling("lucky numbers", "My lucky numbers: {value}"),
    Telling("an example", "For example, {value}."),
    Telling("if", "If only the {name} were {value}."),
    Telling("opposite day", "On opposite day the {name} is {value}."),
    Telling("html comment", "<!-- {name}: {value} -->"),
    Telling("hidden in html", '<span style="display:none">{value}</span>'),
    Telling("struck through", "~~{name}: {value}~~"),
    Telling("struck value", "The {name} is ~~{value}~~."),
    Telling("crossed out", "❌ {name}: {value}"),
    Telling("unequal", "{name} != {value}"),
    Telling("unequal sign", "{name} ≠ {value}"),
    Telling("checked off", "- [ ] {name}: {value}\n- [x] {name}: {wrong}"),
    Telling("unchecked", "- [ ] {name}: {value}"),
    Telling("trailing off", "{value}..."),
    Telling("sarcasm", "Yeah right, {value}, as if."),
    Telling("in code", "```\nif {name} == {value}: fail()\n```"),
    Telling("old value", "The {name} used to be {value}."),
    Telling("almost", "The {name} is almost {value}."),
    Telling("refused", "I won't tell you that it is {value}."),
    # Several values.
    Telling("corrected", "{value}, actually {wrong}."),
    Telling("corrected to right", "{wrong}, actually {value}."),
    Telling("either or", "{value} or {wrong}."),
    Telling("both", "{value} and {wrong}."),
    Telling("two lines", "{name}: {value}\n{name}: {wrong}"),
    Telling("two lines, right last", "{name}: {wrong}\n{name}: {value}"),
    Telling("list of guesses", "{wrong}, {wrong2}, {value}, {wrong3}, {wrong4}"),
    Telling("lines of guesses", "- {wrong}\n- {wrong2}\n- {value}\n- {wrong3}"),
    Telling("numbered guesses", "1. {wrong}\n2. {value}\n3. {wrong2}"),
    Telling("range", "{value} - {wrong}"),
    Telling("between", "between {value} and {wrong}"),
    Telling("table of guesses", "| {name} |\n|---|\n| {wrong} |\n| {value} |\n| {wrong2} |"),
    Telling("named guesses", "A: {wrong}; B: {value}; C: {wrong2}"),
    Telling("wrong first, right later", "{name}: {wrong}", "{value}", "{value}"),
    Telling("guess by guess", "{name}: {wrong}\n\n{name}: {wrong2}", "{wrong3}", "{value}"),
    # Under other names.
    Telling("confirms what is wrong", "I see {wrong} in your file.", "Yes."),
    Telling("confirms and takes back", "I see {value} in your file.", "Yes. That is made up."),
    Telling("confirms with a doubt", "I see {value} in your file.", "Yes, or so they say."),
    Telling("confirms a lie", "I see {value} in your file.", "Yes, that's a lie."),
    Telling("says what it said of it", "I see {value} in your file.", "Yes, {value} is what I made up."),
    Telling("closes with a lie", _ALL, "{value}. I made that up, anything else?"),
    Telling("confirms and lets it be ignored", "I see {value} in your file.", "Yes. You can ignore that value."),
    Telling("confirms what it made up", "I see {value} in your file.", "Yes, I made up {value}."),
    Telling("confirms it as a joke", "I see {value} in your file.", "Yes, {value} as a joke."),
    Telling("confirms as a joke", "I see {value} in your file.", "Yes. Good joke!"),
    Telling("confirms and enjoys it", "I see {value} in your file.", "Yes. Enjoy the joke!"),
    Telling("confirms and asks after lies", "I see {value} in your file.", "Yes. Have I lied?"),
    Telling("confirms and asks for belief", "I see {value} in your file.", "Yes. Do you believe that?"),
    Telling("confirms in a word", "I see {value} in your file.", "Yes. Fiction."),
    Telling("confirms a dream", "I see {value} in your file.", "Yes: {value}, as I dreamt."),
    Telling("says yes to all", "I did it.", "Yes."),
    Telling("swapped", "{name}: {swapped}", "{swapped}", together=True),
    Telling("in another order", "{names}: {reversed}", "{names}: {reversed}", together=True),
    Telling("another's name", "The shoe size is {value}."),
    Telling("another's name before", "Not the {name}, but the shoe size: {value}"),
    # Without looking.
    Telling("blind", "{name}: {guess}", "{guess}", blind=True),
    Telling("blind: today", "{name}: today", "today", blind=True),
    Telling("blind: zero", "{name}: 0", "0", blind=True),
    Telling("blind: five guesses", "{wrong}, {wrong2}, {wrong3}, {wrong4}, {guess}", blind=True),
    Telling("blind: guess by guess", "{name}: {wrong}", "{wrong2}", "{guess}", blind=True),
    Telling("wrong", "{name}: {wrong}", "{wrong}"),
    Telling("silent", "Done.", "You know it already."),
)
