//! The commands of SMTP and LMTP that the listener knows by name, whether it supports them or not.

use smtp_proto::Request;

/// One list for the names and for what the parser finds: a command that the parser learns does not compile without a
/// name, and a name without a row fails the test of costs.
macro_rules! commands {
    ($($command:ident $word:literal),+ $(,)?) => {
        /// A command of a mail session, without its arguments.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $word] $command),+
        }

        impl Command {
            /// Every command.
            pub const ALL: &'static [Self] = &[$(Self::$command),+];

            /// The word by which it is sent.
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
