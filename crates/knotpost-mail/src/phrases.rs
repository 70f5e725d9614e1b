//! The phrases with which mail programs introduce what they quote, in the languages in which they come.
//!
//! Tables only, in lower case; `quoting` says how they are used. A table is one string with `|` between the entries,
//! which keeps a hundred short words readable.

/// The entries of a table.
pub(super) fn entries(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.split('|')
}

/// What stands before the colon of an attribution ("fred wrote:").
pub(super) const WROTE: &str = "\
    wrote|writes|schrieb|geschrieben|a écrit|a ecrit|écrivait|escribió|escribio|escreveu|ha scritto|\
    scrive|schreef|geschreven|skrev|skrev följande|kirjoitti|napisał|napisał(a)|napisała|pisze|napsal|\
    napsal(a)|napísal|napísal(a)|írta|ezt írta|a scris|написал|написал(а)|написала|пишет|пише|писал(а)|\
    написа|έγραψε|έγραψες|yazdı|şunu yazdı|kirjutas|rakstīja|rašė|napisao je|je napisal|je napisao|viết|\
    đã viết|menulis|כתב|כתבה|كتب|寫道|写道|写到|さんは書きました|が書きました|のメール|작성|님이 작성|\
    va escriure|idatzi zuen";

/// How the first line of an attribution begins that a program broke into several.
pub(super) const OPENERS: &str = "\
    on |am |le |el |il |op |em |a |in |den |på |w dniu |dnia |dne |dňa |pada |vào |στις |в |at |ons |\
    tor |fre |man |tir |ti |to |ke |pe |în |mon, |tue, |wed, |thu, |fri, |sat, |sun, |ср, |пн, |\
    вт, |чт, |пт, |сб, |вс, |在|于|20";

/// The titles between the dashes of a separator line.
pub(super) const TITLES: &str = "\
    original message|original-nachricht|ursprüngliche nachricht|originalnachricht|message d'origine|\
    message d’origine|message original|message initial|mensaje original|messaggio originale|\
    messaggio inoltrato|oorspronkelijk bericht|doorgestuurd bericht|mensagem original|\
    mensagem encaminhada|oryginalna wiadomość|wiadomość oryginalna|wiadomość przekazana|\
    ursprungligt meddelande|ursprungsmeddelande|oprindelig meddelelse|opprinnelig melding|\
    alkuperäinen viesti|původní zpráva|původní e-mail|pôvodná správa|eredeti üzenet|mesaj original|\
    orijinal mesaj|özgün mesaj|αρχικό μήνυμα|исходное сообщение|пересылаемое сообщение|\
    пересланное сообщение|оригінальне повідомлення|originál zprávy|reply message|forwarded message|\
    begin forwarded message|weitergeleitete nachricht|message transféré|message transfere|\
    mensaje reenviado|vidarebefordrat meddelande|videresendt melding|原始邮件|原始郵件|转发的邮件|\
    轉寄郵件|元のメッセージ|転送メッセージ|원본 메시지|전달된 메시지";

/// Titles that mail programs write without dashes around them.
pub(super) const BARE_TITLES: &str = "\
    begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié|\
    début du message transféré|inizio messaggio inoltrato|inicio del mensaje reenviado|\
    begin doorgestuurd bericht|início da mensagem reencaminhada|początek przekazywanej wiadomości|\
    начало переадресованного сообщения|vidarebefordrat brev|下面是被转发的邮件";

/// The names of the From line in a header block.
pub(super) const FROM: &str = "\
    from|von|de|da|van|från|fra|od|от|від|lähettäjä|kimden|gönderen|feladó|από|发件人|寄件者|寄件人|\
    差出人|送信者|보낸 사람|보낸사람|من|מאת|expéditeur|mittente|remitente";

/// The names of the other lines in a header block: date, recipients, subject.
pub(super) const OTHER_FIELDS: &str = "\
    sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|envoyé|envoyé le|à|objet|enviado|\
    enviado el|enviada em|enviado em|fecha|para|asunto|assunto|inviato|data|a|oggetto|verzonden|aan|\
    onderwerp|skickat|till|ämne|sendt|til|emne|dato|lähetetty|vastaanottaja|aihe|wysłano|wysłane|do|\
    temat|odesláno|komu|předmět|predmet|elküldve|címzett|tárgy|gönderildi|kime|konu|tarih|дата|\
    отправлено|кому|тема|надіслано|发送时间|日期|时间|收件人|抄送|主题|寄件日期|傳送時間|收件者|副本|\
    主旨|送信日時|日時|宛先|件名|보낸 날짜|받는 사람|제목|날짜";

/// How the lines begin with which telephones and web mailers advertise themselves; behind a `…`, how they end.
pub(super) const ADVERTS: &str = "\
    sent from my |sent from mail for |sent from outlook|sent from yahoo |sent from gmail |\
    sent from proton|sent from samsung |sent from a phone|sent from aol|sent via |\
    sent with proton|sent with [proton|sent with aqua mail|sent using |get outlook for |\
    get bluemail for |von meinem …gesendet|gesendet von |gesendet mit |\
    diese nachricht wurde von meinem …gesendet|holen sie sich outlook für |outlook für …herunterladen|\
    envoyé de mon |envoyé depuis |envoyé avec |envoyé à partir de |obtenir outlook pour |\
    télécharger outlook pour |enviado desde |enviado do meu |enviado de meu |enviado con |enviado via |\
    obtener outlook para |inviato da |inviato dal mio |scarica outlook per |verstuurd vanaf |\
    verzonden vanaf |verzonden met |outlook voor …downloaden|skickat från |sendt fra |hent outlook til |\
    lähetetty |wysłane z |wysłano z |pobierz outlook|odesláno z |odoslané z |отправлено с |\
    отправлено из |надіслано з |iphone'umdan gönderildi|发自我的|从我的…发送|發自我的|获取 outlook for |\
    iphoneから送信|ipadから送信|나의 iphone에서 보냄";
