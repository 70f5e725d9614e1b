//! The phrases with which mail programs introduce a quote, in their languages.
//!
//! Lower case; a table is one string with `|` between the entries, which keeps a hundred short words readable.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Entries indexed by the character that is compared first, since a mail may have many lines and a table many entries.
pub(super) struct Table {
    entries: LazyLock<HashMap<char, Vec<&'static str>>>,
    key: fn(&str) -> Option<char>,
}

impl Table {
    /// Entries that can match a lower-case text, its beginning or its end, whichever the table is for.
    pub(super) fn candidates(&self, lower: &str) -> impl Iterator<Item = &'static str> + use<'_> {
        (self.key)(lower).and_then(|key| self.entries.get(&key)).into_iter().flatten().copied()
    }
}

fn first(text: &str) -> Option<char> {
    text.chars().next()
}

fn last(text: &str) -> Option<char> {
    text.chars().next_back()
}

fn sort(table: &'static str, key: fn(&str) -> Option<char>) -> HashMap<char, Vec<&'static str>> {
    let mut sorted: HashMap<char, Vec<&'static str>> = HashMap::new();
    for entry in entries(table) {
        if let Some(key) = key(entry) {
            sorted.entry(key).or_default().push(entry);
        }
    }
    sorted
}

/// Indexes by the first or the last character of the entries.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident by $key:ident = $text:expr;)+) => {
        $($(#[$doc])* pub(super) static $name: Table =
            Table { entries: LazyLock::new(|| sort($text, $key)), key: $key };)+
    };
}

pub(super) fn entries(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.split('|')
}

tables! {
    /// Text before the colon of an attribution ("fred wrote:").
    WROTE by last = "\
    wrote|writes|schrieb|geschrieben|a écrit|a ecrit|écrivait|escribió|escribio|escreveu|ha scritto|\
    scrive|schreef|geschreven|skrev|skrev följande|kirjoitti|napisał|napisał(a)|napisała|pisze|napsal|\
    napsal(a)|napísal|napísal(a)|írta|ezt írta|a scris|написал|написал(а)|написала|пишет|пише|писал(а)|\
    написа|έγραψε|έγραψες|yazdı|şunu yazdı|kirjutas|rakstīja|rašė|napisao je|je napisal|je napisao|viết|\
    đã viết|menulis|כתב|כתבה|كتب|寫道|写道|写到|さんは書きました|が書きました|のメール|작성|님이 작성|\
    va escriure|idatzi zuen";
}

/// Text between name and date if the date comes last.
pub(super) const WROTE_ON: &str = "\
    wrote on | schrieb am | schreef op | a écrit le | escribió el | ha scritto il | escreveu em | skrev den | napisał dnia ";

tables! {
    /// Beginnings of the first line of a wrapped attribution.
    OPENERS by first = "\
    on |am |le |el |il |op |em |a |in |den |på |w dniu |dnia |dne |dňa |pada |vào |στις |в |at |ons |\
    tor |fre |man |tir |ti |to |ke |pe |în |mon, |tue, |wed, |thu, |fri, |sat, |sun, |ср, |пн, |\
    вт, |чт, |пт, |сб, |вс, |在|于|20";

    /// Titles between the dashes of a separator line.
    TITLES by first = "\
    original message|original-nachricht|ursprüngliche nachricht|originalnachricht|message d'origine|\
    message d’origine|message original|message initial|mensaje original|messaggio originale|\
    messaggio inoltrato|oorspronkelijk bericht|doorgestuurd bericht|mensagem original|\
    mensagem encaminhada|oryginalna wiadomość|wiadomość oryginalna|wiadomość przekazana|\
    ursprungligt meddelande|ursprungsmeddelande|oprindelig meddelelse|opprinnelig melding|\
    alkuperäinen viesti|původní zpráva|původní e-mail|pôvodná správa|eredeti üzenet|mesaj original|\
    orijinal mesaj|özgün mesaj|αρχικό μήνυμα|исходное сообщение|пересылаемое сообщение|\
    пересланное сообщение|оригінальне повідомлення|originál zprávy|reply message|forwarded message|\
    begin forwarded message|weitergeleitete nachricht|message transféré|message transfere|\
    mensaje reenviado|vidarebefordrat meddelande|videresendt melding|原始邮件|原始郵件|邮件原件|郵件原件|转发的邮件|\
    轉寄郵件|元のメッセージ|転送メッセージ|원본 메시지|전달된 메시지";

    /// Titles without dashes around them.
    BARE_TITLES by first = "\
    begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié|\
    début du message transféré|inizio messaggio inoltrato|inicio del mensaje reenviado|\
    begin doorgestuurd bericht|início da mensagem reencaminhada|początek przekazywanej wiadomości|\
    начало переадресованного сообщения|vidarebefordrat brev|下面是被转发的邮件";

    /// Names of the From line in a header block.
    FROM by first = "\
    from|von|de|da|van|från|fra|od|от|від|lähettäjä|kimden|gönderen|feladó|από|发件人|寄件者|寄件人|\
    差出人|送信者|보낸 사람|보낸사람|من|מאת|expéditeur|mittente|remitente";

    /// Names of the other lines in a header block: date, recipients, subject.
    OTHER_FIELDS by first = "\
    sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|envoyé|envoyé le|à|objet|enviado|\
    enviado el|enviada em|enviado em|fecha|para|asunto|assunto|inviato|data|a|oggetto|verzonden|aan|\
    onderwerp|skickat|till|ämne|sendt|til|emne|dato|lähetetty|vastaanottaja|aihe|wysłano|wysłane|do|\
    temat|odesláno|komu|předmět|predmet|elküldve|címzett|tárgy|gönderildi|kime|konu|tarih|дата|\
    отправлено|кому|тема|надіслано|发送时间|日期|时间|收件人|抄送|主题|寄件日期|傳送時間|收件者|副本|\
    主旨|送信日時|日時|宛先|件名|보낸 날짜|받는 사람|제목|날짜";

    /// Beginnings of adverts of telephones and web mailers; after a `…`, their ends.
    ADVERTS by first = "\
    sent from my |sent from mail for |sent from outlook|sent from yahoo |sent from gmail |sent from mobile|\
    sent from proton|sent from samsung |sent from a phone|sent from aol|sent from spark|sent via |\
    sent with proton|sent with [proton|sent with aqua mail|sent with spark|sent with tuta|sent with fairemail|sent using |\
    secured with tuta|gesichert mit tuta|get outlook for |\
    get bluemail for |von meinem …gesendet|von meiner …gesendet|von meinem/meiner …gesendet|gesendet von |\
    gesendet mit |diese nachricht wurde von meinem …gesendet|holen sie sich outlook für |outlook für …herunterladen|\
    outlook für …beziehen|envoyé de mon |envoyé depuis |envoyé avec |envoyé à partir de |obtenir outlook pour |\
    obtenez outlook pour |télécharger outlook pour |enviado desde |enviado do meu |enviado de meu |enviado con |\
    enviado via |enviado a partir do |enviado com |inviato con |obtener outlook para |obter o outlook para |baixar o outlook para |inviato da |\
    inviato dal mio |scarica outlook per |ottieni outlook per |verstuurd vanaf |verzonden vanaf |verzonden met |\
    outlook voor …downloaden|download outlook voor |skickat från |hämta outlook för |sendt fra |hent outlook til |\
    lähetetty |wysłane z |wysłano z |wysłano za pomocą |wysłane za pomocą |pobierz outlook|pobierz aplikację outlook|odesláno z |odoslané z |отправлено с |\
    отправлено из |отправлено с помощью |надіслано з |надіслано за допомогою |получить outlook для |скачать outlook для |iphone'umdan gönderildi|发自我的|从我的…发送|\
    發自我的|從我的…傳送|获取 outlook for |取得 outlook for |iphoneから送信|ipadから送信|ios 版 outlook を入手|\
    android 版 outlook を入手|outlook for …を入手|나의 iphone에서 보냄|yahoo mail: search, organize, conquer|virus-free.|\
    <https://www.avast.com/";
}

tables! {
    /// Beginnings of the lines in which virus scanners name themselves; after a `…`, a word within.
    SCANNERS by first = "\
    virus-free|virenfrei|www.avast.com|www.avg.com|this email has been checked for viruses|this e-mail has been checked for viruses|\
    this email was scanned|this e-mail was scanned|this email has been scanned|this e-mail has been scanned|\
    this message has been scanned|this message was scanned|this mail was scanned|this email is free from viruses|\
    this email message was scanned|scanned by …virus|scanned by mailscanner|scanned by mimecast|checked by avg|no virus found in|\
    this email was checked by …virus|spam detection software|diese e-mail wurde von …viren geprüft|\
    diese e-mail wurde auf viren|diese nachricht wurde auf viren|diese email wurde von …virus|\
    cet e-mail a été vérifié par …virus|cet email a été vérifié par …virus|l'absence de virus dans ce courrier|\
    l’absence de virus dans ce courrier|ce courrier électronique ne contient aucun virus|\
    este correo electrónico ha sido comprobado en busca de virus|este email fue escaneado|libre de virus|livre de vírus|\
    este e-mail foi verificado …antivírus|este email foi escaneado|questa e-mail è stata controllata per individuare virus|\
    questa email è stata esaminata alla ricerca di virus|mail priva di virus|deze e-mail is gecontroleerd op virussen|\
    virusvrij|ta wiadomość e-mail została sprawdzona pod kątem wirusów|wolny od wirusów|это сообщение проверено на вирусы|\
    без вирусов|tento e-mail byl zkontrolován na viry|denna e-postmeddelande har sökts igenom|此电子邮件已由|不含病毒";
}

/// Products in adverts directly below the sender's words.
pub(super) const DEVICES: &str = "iphone|ipad|android|galaxy|samsung|outlook|huawei|xiaomi|pixel|blackberry|smartphone|proton|yahoo mail|gmx|aol|\
    web.de|mail.ru|k-9|fairemail|bluemail|aqua mail|spark|tuta";

tables! {
    /// Beginnings of the warnings in capitals that gateways put on top of external mail.
    WARNING_HEADS by first = "\
    external|ext|caution|warning|attention|notice|alert|security|unverified|untrusted|achtung|vorsicht|warnung|extern|externe|hinweis|avertissement|prudence|\
    atención|precaución|advertencia|externo|attenzione|avviso|esterno|let op|pas op|waarschuwing|atenção|cuidado|aviso|\
    uwaga|ostrzeżenie|внимание|осторожно|注意|警告|外部";
}

/// Words of which every warning has at least one.
pub(super) const WARNING_WORDS: &str = "\
    external|outside of|outside your|outside the organi|outside our|extern|außerhalb|extérieur|externo|externa|esterno|\
    esterna|zewnętrz|внешн|外部|组织外|組織外|do not click|open attachments";

tables! {
    WARNING_STARTS by first = "\
    zjqcmqr|this message is from an external sender|this message came from outside|this email originated from outside|\
    this e-mail originated from outside|this email originates from outside|this message originated outside|\
    this message originated from outside|this email originated outside|this email came from outside|\
    this email was sent from outside|this message was sent from outside|this email is from outside|\
    this message is from outside|this email was received from outside|this email comes from outside|this is an external email|\
    this is an external message|this email is from an external|this email came from an external|\
    this email originated from an external|this message originated from an external|this email was sent by an external|\
    this message was sent by an external|you have not previously corresponded with this sender|\
    report suspicious|learn why this is important|why is this important|do not click links or open attachments unless|\
    do not click on links or open attachments|be careful with this message|be cautious of|use caution when opening|\
    please use caution|please exercise caution|exercise caution when|think before you click|banner start|\
    you don't often get email from|\
    you don’t often get email from|some people who received this message don't often get email from|\
    sie erhalten nicht oft e-mail|sie erhalten nicht häufig e-mail|vous n'obtenez pas souvent d'e-mail|\
    vous n’obtenez pas souvent d’e-mail|no suele recibir correos electrónicos de|non si ricevono spesso messaggi|\
    u ontvangt niet vaak e-mail|nie otrzymujesz często wiadomości";
}

/// Ends of lines in which a program tells of a reaction.
pub(super) const REACTED: &str = "\
    reacted to your message|reacted to your email|reacted to a message|reacted via gmail|hat auf ihre nachricht reagiert|\
    hat auf deine nachricht reagiert|hat über gmail reagiert|a réagi à votre message|a réagi via gmail|\
    ha reaccionado a tu mensaje|reaccionó a tu mensaje|ha reaccionado a su mensaje|reaccionó a su mensaje|\
    ha reagito al tuo messaggio|heeft gereageerd op je bericht|heeft gereageerd op uw bericht|reagiu à sua mensagem|\
    zareagował na twoją wiadomość|zareagowała na twoją wiadomość|отреагировал на ваше сообщение|\
    отреагировала на ваше сообщение|对你的邮件做出了回应|さんがあなたのメッセージにリアクションしました";

/// Verbs with which telephones tell of a reaction; the quoted text follows in quotation marks.
pub(super) const TAPBACKS: &str = "\
    liked|loved|disliked|laughed at|emphasized|emphasised|questioned|removed a like from|removed a heart from|\
    removed a dislike from|removed a laugh from|removed an exclamation from|removed a question mark from|\
    gefällt|gefällt nicht|liebt|hat gelacht über|hervorgehoben|hat hervorgehoben|hat hinterfragt|a aimé|a adoré|\
    n’a pas aimé|n'a pas aimé|a ri de|a souligné|a mis en question|le gustó|le encantó|no le gustó|le dio risa|destacó|\
    preguntó por|ha messo mi piace a|ha adorato|ha riso per|ha enfatizzato|vond leuk|vond geweldig|gostou de|amou|riu de|\
    понравилось|喜欢|喜歡|いいね";
tables! {
    /// Beginnings of the Subjects of automatic replies.
    AWAY by first = "\
    out of office|out of the office|out-of-office|auto reply|auto-reply|autoreply|auto response|auto-response|\
    autoresponse|autoresponder|automatic reply|automatic response|automatic answer|automated reply|automated response|\
    auto: |vacation reply|vacation message|vacation response|vacation auto|holiday reply|i am out of |i'm out of |\
    i am away|i'm away|away from my |away from the office|on leave|automatische antwort|automatische antwoord|\
    automatisch antwoord|automatisches antwort|automatische rück|abwesenheit|abwesend|ich bin nicht im |nicht im büro|\
    außer haus|réponse automatique|reponse automatique|réponse auto|message automatique|absence du bureau|\
    message d'absence|message d’absence|avis d'absence|je suis absent|absent du bureau|respuesta automática|\
    respuesta automatica|fuera de oficina|fuera de la oficina|ausente de la oficina|risposta automatica|\
    fuori ufficio|fuori sede|assente dall|resposta automática|resposta automatica|resposta automàtica|\
    fora do escritório|fora da empresa|ausência|afwezig|niet aanwezig|automatiskt svar|automatisk svar|autosvar|\
    frånvaro|inte på kontoret|fravær|ikke på kontoret|ikke til stede|automaattinen vastaus|poissa|\
    odpowiedź automatyczna|automatyczna odpowiedź|autoodpowiedź|nieobecność|poza biurem|automatická odpově|\
    automatická odpoved|mimo kancelá|automatikus válasz|házon kívül|răspuns automat|raspuns automat|\
    автоматический ответ|автоответ|ответ автоматический|нет на месте|отсутствие на рабочем месте|\
    автоматична відповідь|автовідповідь|автоматичен отговор|automatski odgovor|аутоматски одговор|\
    samodejni odgovor|automātiskā atbilde|automātiska atbilde|automatinis atsakymas|automaatvastus|\
    automaatne vastus|αυτόματη απάντηση|εκτός γραφείου|otomatik yanıt|otomatik cevap|ofis dışında|\
    תשובה אוטומטית|מענה אוטומטי|رد تلقائي|الرد التلقائي|ตอบกลับอัตโนมัติ|trả lời tự động|\
    balasan otomatis|jawaban otomatis|erantzun automatikoa|自动回复|自動回覆|自动答复|自動返信|自動応答|不在通知|\
    자동 회신|자동 응답|자동회신|부재 중";

    /// Beginnings of the Subjects of bounces and of complaints about mail.
    REPORTS by first = "\
    undeliver|undelivered|delivery status notification|delivery failure|delivery has failed|delivery notification|\
    delivery problem|delivery error|failed delivery|failure notice|failure delivery|mail delivery failed|\
    mail delivery failure|mail delivery system|mail delivery error|mail delivery problem|message delivery failure|\
    message not delivered|message undeliverable|mail system error|mail could not be delivered|mail failure|\
    returned mail|returned to sender|returned message|returning message to sender|mail returned|non delivery|\
    non-delivery|nondeliver|unable to deliver|could not deliver|could not send message|there was an error sending|\
    warning: could not send|warning: message |delayed mail|ndn: |ndr: |dsn: |unzustellbar|nicht zustellbar|\
    zustellung fehlgeschlagen|fehler bei der zustellung|non remis|échec de la remise|echec de remise|\
    notification d'échec|no se puede entregar|no se ha podido entregar|mancato recapito|impossibile recapitare|\
    não foi possível entregar|onbestelbaar|kan inte levereras|ikke leveret|kan ikke leveres|nie dostarczono|\
    niedostarczalne|nedoručiteln|недоставленное|не доставлено|無法傳遞|配信不能";

    COMPLAINTS by first = "complaint about message from|email feedback report|abuse report|spam report|feedback report for";
}
