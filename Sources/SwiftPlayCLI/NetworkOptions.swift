import ArgumentParser
import SwiftPlayKit

/// The command line options for network access. Names and meanings are mpv's, except that certificates are verified by
/// default.
struct NetworkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Verify the certificates of https servers: yes or no.", valueName: "yes|no"))
    var tlsVerify = "yes"

    @Option(help: ArgumentHelp("Trust only the certificate authorities in this PEM file.", valueName: "file"))
    var tlsCaFile: String?

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard ["yes", "no"].contains(tlsVerify) else { throw ValidationError("--tls-verify takes yes or no.") }
    }

    /// How the certificates of servers are verified, according to the options.
    var tlsVerification: TLSVerification {
        if tlsVerify == "no" { return .none }
        return tlsCaFile.map { .authorities(file: $0) } ?? .systemRoots
    }
}
