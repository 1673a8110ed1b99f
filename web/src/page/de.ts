// The page's texts in German.

import type { Texts } from "./en";

export const de: Texts = {
  decimalSign: ",",
  page: {
    scenario: "Szenario",
    share: "Link kopieren",
    download: "Speichern",
    restart: "Neu starten",
    speed: "Tempo",
    time: "Zeit",
    network: "Netz und Flüsse",
    ownOpen: "Eigenen Algorithmus schreiben",
    own: "Ihr eigener Algorithmus",
    file: "Szenariodatei",
    hint:
      "Formular und Datei sind dasselbe Szenario. Speichern Sie es: „vegaslab run DATEI“ gibt dieselben Ergebnisse, auf das Byte genau; " +
      "ebenso „vegaslab run 'LINK'“ mit dem kopierten Link. " +
      "Ein Algorithmus in JavaScript läuft nur auf dieser Seite.",
    whole: "Das ganze Labor öffnen",
    run: "Der Lauf",
    playback: "Wiedergabe",
    path: "Der Weg der Pakete",
    controls: "Das Szenario",
    offer: "Ein Algorithmus im Link",
  },
  status: {
    over: "Der Lauf ist zu Ende.",
    copied: "Kopiert",
    inAddressBar: "Der Link steht in der Adresszeile.",
    noScenario: (name) => `Kein mitgeliefertes Szenario heißt ${name}.`,
    damaged: "Der Link ist beschädigt: Sein Szenario ist nicht lesbar. Dies ist ein mitgeliefertes.",
    yourScenario: "Ihr eigenes",
    you: "Sie",
  },
  offer: {
    read: (names) =>
      `Der Link bringt einen Algorithmus mit, ${names}. Lesen Sie ihn, bevor Sie ihn starten: Er sieht kein Netz, keine Datei, keine Uhr.`,
    run: "Starten",
    leave: "Weglassen",
  },
  workshop: {
    file: "Datei",
    name: "Name",
    template: "Neu aus",
    choose: "Vorlage…",
    input: "Eine Datei mit einem Algorithmus",
    load: "Datei laden…",
    save: "Datei speichern",
    remove: "Entfernen",
    module: (bytes) => `Ein Modul mit ${bytes} Byte.`,
    ending: (name) => `${name}: Eine Datei endet auf .js oder .wasm`,
    tooLong: (name, bytes, most) => `${name}: hat ${bytes} Byte; höchstens ${most}`,
    badName: "Ein Name besteht aus Buchstaben, Ziffern, - und _ und der Endung seiner Datei.",
    taken: (name) => `Es gibt schon eine Datei ${name}.`,
    notKept: "Dieser Browser behält keine Dateien: Speichern Sie Ihre, bevor Sie die Seite schließen.",
    hint:
      "Eine Klasse mit on_ack und on_loss; ihr Attribut window, in Segmenten, ist das, was sie entscheidet. Die Läufe folgen dem, was Sie " +
      "schreiben. Dieser Browser behält die Datei, und ein kopierter Link bringt sie mit; wer ihn öffnet, muss zustimmen, bevor sie läuft. " +
      "Sie sieht kein Netz, keine Uhr und keine Zufallszahlen.",
  },
  playback: {
    play: "Weiter",
    pause: "Pause",
    again: "Noch einmal zeigen",
    fastest: "so schnell wie möglich",
    faster: (times) => `${times} × Echtzeit`,
    real: "Echtzeit",
    slow: "Zeitlupe, ein Zehntel",
    of: (at, duration) => `${at.replace(".", ",")} von ${duration} s`,
  },
  hand: {
    begin: "Steuern Sie selbst",
    end: "Den Algorithmus steuern lassen",
    window: "Ihr Fenster",
    segments: (number) => `${number} Segmente`,
    hint:
      "Sie senden so viele Segmente, wie Ihr Fenster erlaubt. Lasten Sie den Pfad aus, und halten Sie die Warteschlange kurz: Was über " +
      "Rate × Umlaufzeit hinausgeht, wartet nur in der Warteschlange, und was in sie nicht mehr passt, geht verloren.",
  },
  form: {
    link: "Leitung",
    rate: {
      name: "Rate",
      meaning: "Was die Leitung übertragen kann. Die langsamste Leitung eines Pfads ist sein Engpass: Vor ihr warten die Pakete.",
    },
    delay: { name: "Laufzeit", meaning: "Die Zeit, die ein Paket auf der Leitung in einer Richtung unterwegs ist, ohne zu warten." },
    queue: {
      name: "Schlange",
      meaning: "Die Warteschlange: So viele Pakete dürfen vor der Leitung warten. Was bei voller Warteschlange ankommt, geht verloren.",
    },
    flows: { name: "Flüsse", meaning: "Ein Fluss sind die Daten einer Verbindung, vom Sender zum Empfänger." },
    flow: "Fluss",
    packets: (number) => `${number} Pakete`,
    inFile: "siehe Datei",
    beside: "Daneben, mit allen Flüssen",
    nothing: "nichts",
    own: "Ihre eigenen",
    parts: "eigene Teile",
    algorithm: (flow) => `Algorithmus von Fluss ${flow}`,
    remove: (flow) => `Fluss ${flow} entfernen`,
    add: (flow) => `Noch ein Fluss wie ${flow}`,
    from: (start) => `ab ${start} s`,
  },
  charts: {
    window: { name: "Fenster", unit: "Segmente", meaning: "So viele Segmente darf ein Fluss ohne Bestätigung unterwegs haben." },
    rtt: {
      name: "Umlaufzeit (RTT)",
      unit: "ms",
      meaning: "Vom Senden eines Segments bis zu seiner Bestätigung: die Zeit des Pfads selbst und das Warten in Warteschlangen.",
    },
    queue: {
      name: "Warteschlange",
      unit: "Pakete",
      meaning: "Die Pakete, die vor der gewählten Leitung warten. Das Warten verlängert die RTT und erhöht den Durchsatz nicht.",
    },
    throughput: {
      name: "Durchsatz",
      unit: "Mb/s",
      meaning: "Was von einem Fluss in jedem Zeitschritt ankommt, mit Headern und erneut gesendeten Segmenten.",
    },
    mostInStep: "Höchstwert im Schritt",
    label: (name, unit, from, to) => `${name} in ${unit} von ${from} bis ${to} s`,
  },
  totals: {
    flow: "Fluss",
    goodput: {
      name: "Nutzdurchsatz, Mb/s",
      meaning: "Daten, die in der richtigen Reihenfolge angekommen sind, ohne Header und erneut Gesendetes, über den ganzen Lauf.",
    },
    rtt: { name: "mittlere RTT, ms", meaning: "Die mittlere Umlaufzeit im Lauf. Was über die Zeit des Pfads hinausgeht, ist Warten in Warteschlangen." },
    window: { name: "mittleres Fenster", meaning: "Das mittlere Fenster im Lauf, in Segmenten." },
    retransmitted: { name: "erneut gesendet", meaning: "Segmente, die der Sender erneut gesendet hat, weil er sie für verloren hält." },
    timeouts: {
      name: "Timeouts",
      meaning: "So oft hat der Sender so lange nichts gehört, dass er mit einem Fenster von einem Segment neu begonnen hat.",
    },
    more: (shown, of) => ` Die ersten ${shown} von ${of} Flüssen sind zu sehen; die Tabellen haben alle.`,
    link: (link, busy, waiting, lost) => `${link}: zu ${busy} % der Zeit ausgelastet, im Mittel warten ${waiting} Pakete, ${lost} verloren.`,
    speed: (simulated, wall, times) => ` ${simulated} s in ${wall} s simuliert, ${times}-mal so schnell wie in Wirklichkeit.`,
  },
  explain: {
    nothing: "Noch ist nichts gesendet.",
    one: (name) => `Der Fluss (${name})`,
    several: (name) => `Fluss ${name}`,
    you: (window) => `Ihr Fenster beträgt ${window} Segmente.`,
    window: (flow, doing, window) => `${flow} ${doing}; sein Fenster beträgt ${window} Segmente.`,
    doing: {
      "idle": "hat nichts zu senden",
      "slow start": "ist im Slow Start und sucht die Rate des Pfads, indem er sein Fenster verdoppelt",
      "congestion avoidance": "ist in der Überlastvermeidung und ändert sein Fenster um höchstens ein Segment je Umlaufzeit",
      "recovery": "hat Pakete verloren und sendet sie erneut",
    },
    overflow: (link, lost) =>
      `Die Warteschlange von ${link} ist übergelaufen: In diesem Schritt ${lost === 1 ? "ging 1 Paket" : `gingen ${lost} Pakete`} verloren.`,
    idle: (link, part) => `An ${link} wartet kein Paket: Die Leitung überträgt ${part} % dessen, was sie könnte.`,
    full: (link) => `${link} ist ausgelastet, und kein Paket wartet: So soll es sein.`,
    waiting: (link, waiting, wait) =>
      `An ${link} ${waiting === 1 ? "wartet 1 Paket" : `warten ${waiting} Pakete`}; das verlängert die Umlaufzeit um etwa ${wait} ms und erhöht die ` +
      "Rate nicht.",
    dot: (packets) => `Ein Punkt steht für ${packets} Pakete.`,
  },
  picture: {
    sender: "Sender",
    receiver: "Empfänger",
    data: "Daten →",
    acknowledgements: "← Bestätigungen",
    waiting: (link, waiting, limit) => `${link}: ${waiting}${limit === null ? "" : ` von ${limit}`} warten`,
  },
  lessons: {
    all: "Lektionen",
    title: "Sechs Lektionen: schätzen, ausprobieren, verbessern",
    first: "Beginnen Sie mit der ersten, oder nutzen Sie das Labor darunter frei.",
    place: (number, of) => `Lektion ${number} von ${of}`,
    previous: "Vorige Lektion",
    next: "Nächste Lektion",
    close: "Lektion schließen",
    guess: "Ihre Schätzung",
    run: "Starten",
    right: (value) => `Richtig: Der Lauf ergibt ${value}.`,
    wrong: (guess, value) => `Ihre Schätzung war ${guess}; der Lauf ergibt ${value}.`,
    task: "Aufgabe:",
    least: (value) => `mindestens ${value}`,
    most: (value) => `höchstens ${value}`,
    now: (value) => `jetzt ${value}`,
    score: (points, best) => `Punkte: ${points} von 100. Ihr bester Lauf: ${best}.`,
    done: "Alle Ziele sind erreicht.",
  },
  figures: {
    goodput_mbps: { name: "Nutzdurchsatz aller Flüsse", unit: "Mb/s" },
    mean_rtt_ms: { name: "mittlere Umlaufzeit (RTT)", unit: "ms" },
    mean_queue_packets: { name: "Pakete in der Warteschlange im Mittel", unit: "Pakete" },
    least_share_percent: { name: "kleinster Anteil eines Flusses", unit: "%" },
    retransmitted_segments: { name: "erneut gesendete Segmente", unit: "Segmente" },
    own_flows: { name: "Flüsse mit Ihrem eigenen Algorithmus", unit: "" },
  },
  window: {
    title: "Fenster und Umlaufzeit",
    about: "Wie viel unterwegs sein darf",
    idea:
      "Ein Sender darf ein Fenster voller Segmente unterwegs haben; jede Bestätigung erlaubt das nächste Segment. Er sendet also ein Fenster in " +
      "jeder Umlaufzeit (RTT). Hier ist das Fenster fest: 60 Segmente zu 1000 Byte. Die Leitung überträgt 10 Mb/s, die RTT beträgt 100 ms.",
    question: "Welchen Nutzdurchsatz erreicht der Fluss, in Mb/s?",
    because:
      "60 Segmente zu 8000 Bit in 0,1 s sind 4,8 Mb/s; einen Teil davon brauchen die Header. Auf dem Pfad haben Rate × RTT Platz, etwa 125 " +
      "Segmente: das Bandbreite-Verzögerungs-Produkt (BDP). Ein kleineres Fenster lastet die Leitung nicht aus, ein größeres wartet nur in der " +
      "Warteschlange.",
    task:
      "Drücken Sie „Steuern Sie selbst“ und stellen Sie das Fenster ein: Lasten Sie die Leitung aus, und halten Sie die Warteschlange kurz. " +
      "Beginnen Sie rasch, denn jede Sekunde zählt.",
  },
  bufferbloat: {
    title: "Bufferbloat",
    about: "Eine zu lange Warteschlange",
    idea:
      "CUBIC, die übliche Überlastregelung, vergrößert das Fenster, bis ein Paket verloren geht. Die Leitung überträgt 10 Mb/s, ohne " +
      "Warteschlange beträgt die RTT 40 ms, und die Warteschlange vor der Leitung fasst 1000 Pakete zu 1000 Byte.",
    question: "Wie groß ist die mittlere RTT?",
    because:
      "Erst wenn die Warteschlange voll ist, geht ein Paket verloren; darum bleibt sie fast voll. 1000 Pakete brauchen bei 10 Mb/s 800 ms. " +
      "Auch Telefonate und Spiele auf derselben Leitung müssen warten. Das heißt Bufferbloat.",
    task: "Ändern Sie nur die Länge der Warteschlange: Erhalten Sie den Nutzdurchsatz, und senken Sie die RTT.",
  },
  vegas: {
    title: "Die Idee von Vegas",
    about: "Verzögerung als Zeichen von Überlast",
    idea:
      "TCP Vegas wartet nicht auf Verluste. Es vergleicht die RTT mit der kleinsten, die es gesehen hat, berechnet daraus, wie viele seiner Segmente " +
      "in Warteschlangen stehen, und hält diese Zahl zwischen 1 und 3. Daneben läuft Reno, das Verluste braucht. Die Warteschlange fasst 200 Pakete.",
    question: "Wie viele Pakete stehen im Mittel in der Warteschlange, wenn Vegas allein ist?",
    because:
      "Vegas lastet die Leitung mit wenigen wartenden Segmenten aus und verliert keines. Daneben die Warteschlange von Reno: Sie füllt sich, läuft " +
      "über und füllt sich wieder.",
    task:
      "Jeder Vegas-Fluss hält seine eigenen wenigen Segmente in der Warteschlange. Geben Sie dem Pfad mehr Flüsse, bis im Mittel 10 Pakete warten; " +
      "die RTT ist noch immer kurz.",
  },
  starvation: {
    title: "Warum Vegas verhungert",
    about: "Vegas und Reno auf einer Leitung",
    idea:
      "Nun teilen sich ein Vegas-Fluss und ein Reno-Fluss eine Leitung mit 10 Mb/s und einer Warteschlange von 100 Paketen. Reno füllt die " +
      "Warteschlange, bis sie überläuft. Vegas hält die wachsende Verzögerung für Überlast.",
    question: "Welchen Anteil am Nutzdurchsatz bekommt der kleinere Fluss, Vegas?",
    because:
      "Vegas sieht die Warteschlange, die Reno gefüllt hat, und verkleinert sein Fenster; Reno nimmt, was frei wird. Je länger die Warteschlange, " +
      "desto weniger bleibt. Darum nutzt man Vegas selten, wo Verluste die Überlast anzeigen.",
    task:
      "Behalten Sie beide Algorithmen, und finden Sie eine Warteschlange, mit der jeder Fluss seinen Anteil bekommt und die Leitung trotzdem " +
      "ausgelastet ist.",
  },
  start: {
    title: "Ein besserer Start",
    about: "Slow Start auf einem langen, breiten Pfad",
    idea:
      "Vegas allein auf 50 Mb/s mit einer RTT von 100 ms: Der Pfad fasst 625 Segmente. Im Slow Start verdoppelt sich das Fenster in jeder zweiten " +
      "RTT, bis Vegas wartende Segmente sieht; danach wächst es um ein Segment je RTT.",
    question: "Welchen Nutzdurchsatz erreicht Vegas in den ersten 20 s?",
    because:
      "Die Bursts des Slow Starts lassen Pakete warten, obwohl die Leitung meist frei ist. Vegas verlässt den Slow Start viel zu früh und braucht " +
      "dann etwa eine Minute, um den Pfad zu füllen, ein Segment je RTT.",
    task: "Wählen Sie für den Fluss einen Algorithmus, der besser startet, fast ohne Verluste. Sehen Sie sich Gallop, Streak und CUBIC an.",
  },
  own: {
    title: "Ein eigener Algorithmus",
    about: "Besser als Reno, in JavaScript",
    idea:
      "Eine Überlastregelung ist ein kleines Programm: on_ack läuft bei jeder Bestätigung, on_loss bei jedem Verlust, und window ist das, was sie " +
      "entscheidet. Zuerst läuft Reno, daneben Vegas: 20 Mb/s, eine RTT von 60 ms, und die Warteschlange fasst 150 Pakete.",
    question: "Wie viele Pakete hält Reno im Mittel in der Warteschlange?",
    because: "Reno halbiert sein Fenster bei einem Verlust und füllt die Warteschlange wieder. Ein Algorithmus, der die RTT beachtet, kann es besser.",
    task:
      "Wählen Sie „own…“ als Algorithmus des Flusses, und ändern Sie den Text; die Vorlage aimd.js ist die kürzeste. " +
      "Sie haben ack.rtt_ns, und das BDP kennen Sie aus der ersten Lektion. " +
      "Lasten Sie die Leitung aus, und halten Sie die RTT kurz.",
  },
};
