//! SMTP and LMTP commands that the listener knows by name, supported or not.

use smtp_proto::Request;

/// One list for names and parser results: a command that the parser learns does not compile without a name, and a name
/// without a row fails the test of costs.
macro_rules! commands {
    ($($command:ident $word:literal),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $word] $command),+
        }

        impl Command {
            pub const ALL: &'static [Self] = &[$(Self::$command),+];

            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$command => $word),+
                }
            }

            pub(super) fn of<T>(request: &Request<T>) -> Self {
                match request {
                    $(Request::$command { .. } => Self::$command),+
                }
            }
        }
    };
}

commands! {
    Ehlo "EHLO",
    Lhlo "LHLO",
    Helo "HELO",
    Mail "MAIL",
    Rcpt "RCPT",
    Data "DATA",
    Bdat "BDAT",
    Rset "RSET",
    Noop "NOOP",
    Quit "QUIT",
    Help "HELP",
    Vrfy "VRFY",
    Expn "EXPN",
    StartTls "STARTTLS",
    Auth "AUTH",
    Etrn "ETRN",
    Atrn "ATRN",
    Burl "BURL",
}
