//! How mail programs introduce what they quote: the phrases, in the languages in which they come.
//!
//! Judges single lines or a few of them; which lines to drop is for `extract` to say.

/// What stands before the colon of an attribution ("fred wrote:").
const WROTE: &[&str] = &[
    "wrote",
    "writes",
    "schrieb",
    "geschrieben",
    "a écrit",
    "a ecrit",
    "écrivait",
    "escribió",
    "escribio",
    "escreveu",
    "ha scritto",
    "scrive",
    "schreef",
    "geschreven",
    "skrev",
    "skrev följande",
    "kirjoitti",
    "napisał",
    "napisał(a)",
    "napisała",
    "pisze",
    "napsal",
    "napsal(a)",
    "napísal",
    "napísal(a)",
    "írta",
    "ezt írta",
    "a scris",
    "написал",
    "написал(а)",
    "написала",
    "пишет",
    "пише",
    "писал(а)",
    "написа",
    "έγραψε",
    "έγραψες",
    "yazdı",
    "şunu yazdı",
    "kirjutas",
    "rakstīja",
    "rašė",
    "napisao je",
    "je napisal",
    "je napisao",
    "viết",
    "đã viết",
    "menulis",
    "כתב",
    "כתבה",
    "كتب",
    "寫道",
    "写道",
    "写到",
    "さんは書きました",
    "が書きました",
    "のメール",
    "작성",
    "님이 작성",
    "va escriure",
    "idatzi zuen",
];

/// How the first line of an attribution begins that a program broke into several.
const OPENERS: &[&str] = &[
    "on ",
    "am ",
    "le ",
    "el ",
    "il ",
    "op ",
    "em ",
    "a ",
    "in ",
    "den ",
    "på ",
    "w dniu ",
    "dnia ",
    "dne ",
    "dňa ",
    "pada ",
    "vào ",
    "στις ",
    "в ",
    "at ",
    "ons ",
    "tor ",
    "fre ",
    "man ",
    "tir ",
    "ti ",
    "to ",
    "ke ",
    "pe ",
    "в п",
    "în ",
    "vào ",
    "mon, ",
    "tue, ",
    "wed, ",
    "thu, ",
    "fri, ",
    "sat, ",
    "sun, ",
    "ср, ",
    "пн, ",
    "вт, ",
    "чт, ",
    "пт, ",
    "сб, ",
    "вс, ",
    "在",
    "于",
    "20",
];

/// The titles between the dashes of a separator line.
const TITLES: &[&str] = &[
    "original message",
    "original-nachricht",
    "ursprüngliche nachricht",
    "originalnachricht",
    "message d'origine",
    "message d’origine",
    "message original",
    "message initial",
    "mensaje original",
    "messaggio originale",
    "messaggio inoltrato",
    "oorspronkelijk bericht",
    "doorgestuurd bericht",
    "mensagem original",
    "mensagem encaminhada",
    "oryginalna wiadomość",
    "wiadomość oryginalna",
    "wiadomość przekazana",
    "ursprungligt meddelande",
    "ursprungsmeddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "alkuperäinen viesti",
    "původní zpráva",
    "původní e-mail",
    "pôvodná správa",
    "eredeti üzenet",
    "mesaj original",
    "orijinal mesaj",
    "özgün mesaj",
    "αρχικό μήνυμα",
    "исходное сообщение",
    "пересылаемое сообщение",
    "пересланное сообщение",
    "оригінальне повідомлення",
    "originál zprávy",
    "reply message",
    "forwarded message",
    "begin forwarded message",
    "weitergeleitete nachricht",
    "message transféré",
    "message transfere",
    "mensaje reenviado",
    "vidarebefordrat meddelande",
    "videresendt melding",
    "原始邮件",
    "原始郵件",
    "转发的邮件",
    "轉寄郵件",
    "元のメッセージ",
    "転送メッセージ",
    "원본 메시지",
    "전달된 메시지",
];

/// Titles that mail programs write without dashes around them.
const BARE_TITLES: &[&str] = &[
    "begin forwarded message",
    "anfang der weitergeleiteten nachricht",
    "début du message réexpédié",
    "début du message transféré",
    "inizio messaggio inoltrato",
    "inicio del mensaje reenviado",
    "begin doorgestuurd bericht",
    "início da mensagem reencaminhada",
    "początek przekazywanej wiadomości",
    "начало переадресованного сообщения",
    "vidarebefordrat brev",
    "下面是被转发的邮件",
];

/// The names of the From line in a header block.
const FROM: &[&str] = &[
    "from",
    "von",
    "de",
    "da",
    "van",
    "från",
    "fra",
    "od",
    "от",
    "від",
    "lähettäjä",
    "kimden",
    "gönderen",
    "feladó",
    "από",
    "发件人",
    "寄件者",
    "寄件人",
    "差出人",
    "送信者",
    "보낸 사람",
    "보낸사람",
    "من",
    "מאת",
    "expéditeur",
    "mittente",
    "remitente",
];

/// The names of the other lines in a header block: date, recipients, subject.
const OTHER_FIELDS: &[&str] = &[
    "sent",
    "date",
    "to",
    "cc",
    "subject",
    "reply-to",
    "gesendet",
    "datum",
    "an",
    "betreff",
    "envoyé",
    "envoyé le",
    "à",
    "objet",
    "enviado",
    "enviado el",
    "enviada em",
    "enviado em",
    "fecha",
    "para",
    "asunto",
    "assunto",
    "inviato",
    "data",
    "a",
    "oggetto",
    "verzonden",
    "aan",
    "onderwerp",
    "skickat",
    "till",
    "ämne",
    "sendt",
    "til",
    "emne",
    "dato",
    "lähetetty",
    "vastaanottaja",
    "aihe",
    "wysłano",
    "wysłane",
    "do",
    "temat",
    "odesláno",
    "komu",
    "předmět",
    "predmet",
    "elküldve",
    "címzett",
    "tárgy",
    "gönderildi",
    "kime",
    "konu",
    "tarih",
    "дата",
    "отправлено",
    "кому",
    "тема",
    "надіслано",
    "发送时间",
    "日期",
    "时间",
    "收件人",
    "抄送",
    "主题",
    "寄件日期",
    "傳送時間",
    "收件者",
    "副本",
    "主旨",
    "送信日時",
    "日時",
    "宛先",
    "件名",
    "보낸 날짜",
    "받는 사람",
    "제목",
    "날짜",
];

/// How the lines begin with which telephones and web mailers advertise themselves, and how they end.
const ADVERTS: &[(&str, &str)] = &[
    ("sent from my ", ""),
    ("sent from mail for ", ""),
    ("sent from outlook", ""),
    ("sent from yahoo ", ""),
    ("sent from gmail ", ""),
    ("sent from proton", ""),
    ("sent from samsung ", ""),
    ("sent from the ", ""),
    ("sent from a phone", ""),
    ("sent from aol", ""),
    ("sent via ", ""),
    ("sent with proton", ""),
    ("sent with [proton", ""),
    ("sent with aqua mail", ""),
    ("sent using ", ""),
    ("get outlook for ", ""),
    ("get bluemail for ", ""),
    ("von meinem ", "gesendet"),
    ("gesendet von ", ""),
    ("gesendet mit ", ""),
    ("diese nachricht wurde von meinem ", "gesendet."),
    ("holen sie sich outlook für ", ""),
    ("outlook für ", "herunterladen"),
    ("envoyé de mon ", ""),
    ("envoyé depuis ", ""),
    ("envoyé avec ", ""),
    ("envoyé à partir de ", ""),
    ("obtenir outlook pour ", ""),
    ("télécharger outlook pour ", ""),
    ("enviado desde ", ""),
    ("enviado do meu ", ""),
    ("enviado de meu ", ""),
    ("enviado con ", ""),
    ("enviado via ", ""),
    ("obtener outlook para ", ""),
    ("inviato da ", ""),
    ("inviato dal mio ", ""),
    ("scarica outlook per ", ""),
    ("verstuurd vanaf ", ""),
    ("verzonden vanaf ", ""),
    ("verzonden met ", ""),
    ("outlook voor ", "downloaden"),
    ("skickat från ", ""),
    ("sendt fra ", ""),
    ("hent outlook til ", ""),
    ("lähetetty ", ""),
    ("wysłane z ", ""),
    ("wysłano z ", ""),
    ("pobierz outlook", ""),
    ("odesláno z ", ""),
    ("odoslané z ", ""),
    ("отправлено с ", ""),
    ("отправлено из ", ""),
    ("надіслано з ", ""),
    ("iphone'umdan gönderildi", ""),
    ("发自我的", ""),
    ("从我的", "发送"),
    ("發自我的", ""),
    ("获取 outlook for ", ""),
    ("iphoneから送信", ""),
    ("ipadから送信", ""),
    ("나의 iphone에서 보냄", ""),
];

/// An advert is short; anything longer is somebody's sentence.
const MAX_ADVERT: usize = 100;
/// Three wrapped lines with a long name and an address.
const MAX_ATTRIBUTION: usize = 320;

/// Whether a line was quoted by the mail program.
pub(super) fn is_quoted(line: &str) -> bool {
    line.trim_start_matches([' ', '\t', '\u{a0}']).starts_with(['>', '＞'])
}

/// Whether a mail program wrote this line (or several, joined with blanks) above what it quotes.
///
/// An address and a date before a colon, or a verb of writing before it; a bare verb counts only where the rest can
/// be a name, so that a sentence of the player's that happens to end so is kept.
pub(super) fn is_attribution(text: &str) -> bool {
    let text = text.trim();
    let Some(stem) = text.strip_suffix([':', '：', '﹕']).map(str::trim_end) else { return false };
    if text.len() > MAX_ATTRIBUTION {
        return false;
    }
    let has_digit = stem.contains(|c: char| c.is_ascii_digit());
    let has_address = stem.contains('@');
    let lower = stem.to_lowercase();
    let Some(before) = WROTE.iter().find_map(|verb| lower.strip_suffix(verb)).or_else(|| verb_first(&lower))
    else {
        return has_digit && has_address;
    };
    has_address || is_dated(stem) || is_name(before, stem)
}

/// Languages that put the verb before the name: "schrieb Fred Meier".
fn verb_first(lower: &str) -> Option<&str> {
    [" schrieb ", " schreef ", " skrev ", " escribió ", " napisał ", " ezt írta ", " kirjoitti "]
        .iter()
        .find_map(|verb| {
            let (before, after) = lower.split_once(verb)?;
            (before.contains(|c: char| c.is_ascii_digit()) && after.split_whitespace().count() <= 5)
                .then_some(before)
        })
}

/// A year or a time of day.
fn is_dated(text: &str) -> bool {
    let mut digits = 0;
    let mut previous = ' ';
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits += 1;
            if digits >= 4 || (digits >= 2 && previous == ':') {
                return true;
            }
        } else {
            digits = 0;
        }
        if !c.is_ascii_digit() || previous != ':' {
            previous = c;
        }
    }
    false
}

fn is_name(before: &str, written: &str) -> bool {
    match before.split_whitespace().count() {
        0 => false,
        1 => true,
        words => words <= 5 && !written.starts_with(|c: char| c.is_ascii_lowercase()),
    }
}

/// Whether a line can be the first of an attribution that goes on in the next line.
pub(super) fn opens_attribution(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    OPENERS.iter().any(|opener| lower.starts_with(opener)) && is_dated(&lower)
}

/// Whether a line announces a whole message: "-----Original Message-----", "Begin forwarded message:".
pub(super) fn is_separator(line: &str) -> bool {
    let line = line.trim();
    let core = line.trim_matches(['-', '_', '=', '*', '—', '–', ' ']);
    let title = core.trim_end_matches([':', '：']).trim().to_lowercase();
    let ruled = line.starts_with(['-', '_', '=', '*', '—', '–']) && line.len() >= core.len() + 4;
    (ruled
        && TITLES.iter().any(|known| {
            title.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(" from "))
        }))
        || (core.ends_with([':', '：']) && BARE_TITLES.contains(&title.as_str()))
}

/// Whether a line is the rule that Outlook draws above a header block.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && (line.bytes().all(|byte| byte == b'_') || line.bytes().all(|byte| byte == b'-'))
}

/// The number of lines of the header block ("From: … Sent: … To: … Subject: …") at the start of these lines; 0 when
/// there is none. A block has its From line first and at least two of the others.
pub(super) fn header_block(lines: &[&str]) -> usize {
    if !lines.first().is_some_and(|line| is_field(line, FROM)) {
        return 0;
    }
    let (mut others, mut length, mut loose) = (0, 1, 0);
    for (index, line) in lines.iter().enumerate().skip(1).take(12) {
        if line.trim().is_empty() {
            // Some programs put a blank line between the fields.
            let next = lines.get(index + 1);
            if others < 3 && next.is_some_and(|next| is_field(next, OTHER_FIELDS)) {
                continue;
            }
            break;
        }
        if is_field(line, OTHER_FIELDS) {
            others += 1;
            length = index + 1;
            loose = 0;
        } else if loose == 0
            && others < 4
            && lines.get(index + 1).is_some_and(|next| is_field(next, OTHER_FIELDS))
        {
            // A recipient list that was wrapped.
            loose += 1;
        } else {
            break;
        }
    }
    if others >= 2 { length } else { 0 }
}

fn is_field(line: &str, names: &[&str]) -> bool {
    let line = line.trim().trim_start_matches('*');
    let Some((name, value)) = line.split_once([':', '：']) else { return false };
    let name = name.trim_matches(['*', ' ', '\u{a0}', '\u{3000}']).to_lowercase();
    !value.trim_matches(['*', ' ']).is_empty() && names.contains(&name.as_str())
}

/// Whether a telephone or a web mailer added this line.
pub(super) fn is_advert(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_ADVERT {
        return false;
    }
    let lower = line.to_lowercase();
    ADVERTS.iter().any(|(start, end)| {
        lower.starts_with(start) && lower.trim_end_matches(['.', ' ']).ends_with(end.trim_end_matches('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributions_of_many_programs_are_recognised() {
        for line in [
            "On Tue, Nov 3, 2026 at 10:15 AM Knotpost <games@example.org> wrote:",
            "Am 03.11.2026 um 10:15 schrieb Knotpost:",
            "Am Di., 3. Nov. 2026 um 10:15 Uhr schrieb Knotpost <games@example.org>:",
            "Le 03/11/2026 à 10:15, Knotpost a écrit :",
            "El mar, 3 nov 2026 a las 10:15, Knotpost (<games@example.org>) escribió:",
            "Il giorno mar 3 nov 2026 alle ore 10:15 Knotpost <games@example.org> ha scritto:",
            "Op di 3 nov 2026 om 10:15 schreef Knotpost <games@example.org>:",
            "Em ter., 3 de nov. de 2026 às 10:15, Knotpost <games@example.org> escreveu:",
            "W dniu 3.11.2026 o 10:15, Knotpost pisze:",
            "вт, 3 нояб. 2026 г. в 10:15, Knotpost <games@example.org>:",
            "Knotpost <games@example.org> 于2026年11月3日周二 10:15写道：",
            "2026年11月3日(火) 10:15 Knotpost <games@example.org>:",
            "Knotpost wrote:",
            "* Knotpost <games@example.org> [2026-11-03 10:15]:",
        ] {
            assert!(is_attribution(line), "{line}");
        }
    }

    #[test]
    fn a_players_sentence_is_no_attribution() {
        for line in [
            "f12",
            "my plan:",
            "chat look at what he wrote:",
            "b3 or c4:",
            "on the left side: f3",
            "you wrote that",
        ] {
            assert!(!is_attribution(line), "{line}");
        }
    }

    #[test]
    fn separators_and_header_blocks_are_recognised() {
        for line in [
            "-----Original Message-----",
            "-------- Weitergeleitete Nachricht --------",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "------------------ 原始邮件 ------------------",
            "-----Message d'origine-----",
        ] {
            assert!(is_separator(line), "{line}");
        }
        for line in ["--", "- original message", "f12", "----------"] {
            assert!(!is_separator(line), "{line}");
        }
        assert_eq!(header_block(&["From: a", "Sent: b", "To: c", "Subject: d", "", "text"]), 4);
        assert_eq!(header_block(&["*Von:* a", "*Gesendet:* b", "*An:* c", "*Betreff:* d"]), 4);
        assert_eq!(header_block(&["From: here I move to b3", "and then: c4", "f3"]), 0);
    }

    #[test]
    fn adverts_are_short_and_whole_lines() {
        for line in [
            "Sent from my iPhone",
            "Von meinem iPhone gesendet",
            "发自我的iPhone",
            "Get Outlook for Android<https://aka.ms/x>",
        ] {
            assert!(is_advert(line), "{line}");
        }
        assert!(!is_advert("von meinem Platz aus sieht das gut aus"));
        assert!(!is_advert("f12"));
    }
}
