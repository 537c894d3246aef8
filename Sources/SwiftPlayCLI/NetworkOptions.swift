import ArgumentParser
import SwiftPlayKit

/// The part of the command line that is about addresses: mpv's names and meanings, but certificates are checked unless that is switched off.
struct NetworkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Check the certificates of https servers: yes or no.", valueName: "yes|no"))
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
