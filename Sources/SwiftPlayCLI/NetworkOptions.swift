import ArgumentParser
import SwiftPlayKit

/// The options for network addresses. Names and meanings are mpv's, except that certificates are verified by default.
struct NetworkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Verify the certificates of https servers: yes or no.", valueName: "yes|no"))
    var tlsVerify = "yes"

    @Option(help: ArgumentHelp("Trust these certificate authorities (PEM) and no others.", valueName: "file"))
    var tlsCaFile: String?

    func validateAll() throws {
        guard ["yes", "no"].contains(tlsVerify) else { throw ValidationError("--tls-verify takes yes or no.") }
    }

    var tlsVerification: TLSVerification {
        if tlsVerify == "no" { return .none }
        return tlsCaFile.map { .authorities(file: $0) } ?? .systemRoots
    }
}
