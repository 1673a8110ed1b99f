// The lessons on the page: the list of them, and the one that is open with its guess, its task and its score.

import { button, byId, element } from "../page/elements";
import { figure as figureText } from "../run/charts";
import { remember, remembered } from "../page/store";
import { texts } from "../page/language";
import { type Figure, isRight, type Lesson, LESSONS, reached, type Run, score, valueOf } from "./lessons";

const words = texts.lessons;

export interface LessonEvents {
  /** Opens a lesson; none closes the one that is open. */
  open(lesson: Lesson | undefined): void;
  /** The reader has made a guess: the lesson's scenario runs. */
  guessed(lesson: Lesson): void;
}

export class Lessons {
  private readonly list = byId("lessons");
  private readonly panel = byId("lesson");
  private readonly button = byId("lessons-open");
  /** What follows from the newest run. */
  private readonly outcome = element("div", { "aria-live": "polite" });
  private lesson: Lesson | undefined;
  private guess: number | undefined;
  /** The guessed figure's value in the first run. */
  private answer: number | undefined;
  /** Whether the run waits for the reader's guess. */
  isAsking = false;

  constructor(private readonly events: LessonEvents) {
    this.button.textContent = words.all;
    this.button.addEventListener("click", () => this.offer(this.list.hidden !== false));
  }

  /** Shows or hides the list. */
  offer(isOn: boolean): void {
    this.list.hidden = !isOn;
    this.button.setAttribute("aria-expanded", String(isOn));
    if (!isOn) return;
    const cards = LESSONS.map((lesson, number) => {
      const about = texts[lesson.id];
      const points = best(lesson);
      const name = element("b", {}, `${number + 1}. ${about.title}`);
      const card = button("", () => this.events.open(lesson));
      card.append(name, element("span", {}, about.about), element("small", {}, points > 0 ? `${points} / 100` : ""));
      return element("li", {}, card);
    });
    this.list.replaceChildren(element("h2", {}, words.title), element("p", {}, words.first), element("ol", {}, ...cards));
  }

  /** Shows a lesson; a new one asks for a guess before it runs. */
  show(id: string, isNew: boolean): void {
    this.lesson = LESSONS.find((lesson) => lesson.id === id);
    this.isAsking = isNew && this.lesson !== undefined;
    this.guess = undefined;
    this.answer = undefined;
    this.draw();
  }

  /** Shows what a finished run means for the lesson. */
  ended(run: Run): void {
    const { lesson } = this;
    if (!lesson || this.isAsking) return;
    if (this.guess !== undefined) this.answer ??= valueOf(run, lesson.guess.figure);
    const points = score(run, lesson.goals);
    const most = Math.max(points, best(lesson));
    remember(`score.${lesson.id}`, String(most));
    const goals = lesson.goals.map((goal) => {
      const limits = [goal.least !== undefined && words.least(inUnit(goal.figure, goal.least)), goal.most !== undefined && words.most(inUnit(goal.figure, goal.most))];
      const mark = reached(run, goal) === 1 ? "✓" : "✗";
      const value = words.now(inUnit(goal.figure, valueOf(run, goal.figure)));
      return element("li", {}, `${mark} ${texts.figures[goal.figure].name}: ${limits.filter(Boolean).join(", ")}; ${value}`);
    });
    const verdict = points === 100 ? ` ${words.done}` : "";
    this.outcome.replaceChildren(
      ...this.answered(lesson),
      element("p", {}, element("b", {}, words.task), ` ${texts[lesson.id].task}`),
      element("ul", {}, ...goals),
      element("p", { class: "score" }, element("b", {}, words.score(points, most) + verdict)),
    );
  }

  private answered(lesson: Lesson): HTMLElement[] {
    const { guess, answer } = this;
    if (guess === undefined || answer === undefined) return [];
    const value = inUnit(lesson.guess.figure, answer);
    const reply = isRight(lesson, guess, answer) ? words.right(value) : words.wrong(inUnit(lesson.guess.figure, guess), value);
    return [element("p", {}, element("b", {}, reply), ` ${texts[lesson.id].because}`)];
  }

  private draw(): void {
    const { lesson } = this;
    document.body.classList.toggle("asking", this.isAsking);
    this.panel.hidden = !lesson;
    this.outcome.replaceChildren();
    if (!lesson) return this.panel.replaceChildren();
    const number = LESSONS.indexOf(lesson);
    const step = (label: string, sign: string, to: Lesson | undefined, isThere: boolean) => {
      const made = button(sign, () => this.events.open(to));
      made.setAttribute("aria-label", label);
      made.title = label;
      made.disabled = !isThere;
      return made;
    };
    const steps = element(
      "span",
      { class: "steps" },
      step(words.previous, "‹", LESSONS[number - 1], number > 0),
      step(words.next, "›", LESSONS[number + 1], number + 1 < LESSONS.length),
      step(words.close, "×", undefined, true),
    );
    const title = element("h2", {}, `${words.place(number + 1, LESSONS.length)}: ${texts[lesson.id].title}`);
    this.panel.replaceChildren(
      element("div", { class: "lesson-head" }, title, steps),
      element("p", {}, texts[lesson.id].idea),
      ...(this.isAsking ? [this.question(lesson)] : []),
      this.outcome,
    );
  }

  private question(lesson: Lesson): HTMLElement {
    const { figure, choices } = lesson.guess;
    const form = element("form", {});
    const choice = (value: number) =>
      element("label", {}, element("input", { type: "radio", name: "guess", value: String(value), required: "" }), ` ${inUnit(figure, value)}`);
    const number = element("input", { type: "number", name: "guess", min: "0", step: "any", required: "", "aria-label": words.guess });
    const answers = choices.length > 0 ? choices.map(choice) : [element("label", {}, number, ` ${texts.figures[figure].unit}`)];
    const legend = element("legend", {}, words.guess);
    const answer = () => {
      if (!form.reportValidity()) return;
      this.guess = Number(new FormData(form).get("guess"));
      this.isAsking = false;
      this.draw();
      this.events.guessed(lesson);
    };
    // a sandboxed frame submits no form
    const run = button(words.run, answer);
    run.className = "primary";
    form.append(element("fieldset", {}, legend, element("p", {}, texts[lesson.id].question), element("div", { class: "choices" }, ...answers, run)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer();
    });
    return form;
  }
}

function best(lesson: Lesson): number {
  return Number(remembered(`score.${lesson.id}`) ?? 0) || 0;
}

function inUnit(figure: Figure, value: number): string {
  return `${figureText(value)} ${texts.figures[figure].unit}`.trim();
}
