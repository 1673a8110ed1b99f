// The page's texts in German.

import type { Texts } from "./en";

export const de: Texts = {
  decimalSign: ",",
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
      "Wählen Sie „own…“ als Algorithmus des Flusses, und ändern Sie den Text. Sie haben ack.rtt_ns, und das BDP kennen Sie aus der ersten Lektion. " +
      "Lasten Sie die Leitung aus, und halten Sie die RTT kurz.",
  },
};
