import ArgumentParser
import BackgroundProtocol
import Glibc
import SwiftPlayBackground
import SystemCalls

/// The command `swiftplay download`, which downloads files in the background and shows the progress.
struct DownloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay download",
        abstract: "Downloads files in the background, also after this command has ended.",
        discussion: """
            The downloads survive Ctrl-C, the end of the terminal, crashes and a loss of power, and continue where \
            they were interrupted. `swiftplay transfers` lists them. An unfinished file has a hidden name that ends \
            with .part; the final name appears only once the file is complete.

            An address that ends with .m3u8 is a stream: it becomes a folder that swiftplay plays without a network. \
            --quality, --audio-language and --subtitle-language are for streams only: with them, as with --stream, \
            all addresses are streams.

            Exit codes: 0 all files are complete; 1 the background service cannot be used; 3 some downloads failed; \
            4 ended by a signal, the downloads go on; 64 invalid arguments.
            """)

    @Argument(help: ArgumentHelp("The http and https addresses of files and streams.", valueName: "url"))
    var urls: [String]

    @Option(
        help: ArgumentHelp(
            "The folder of the files, which is created if it does not exist. The default is the current folder.",
            valueName: "folder"))
    var to = "."

    @Option(
        help: ArgumentHelp("The name of the file, without a folder. Only with one address.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The SHA-256 digest that the file must have, as sha256sum prints it. Only with one address.",
            valueName: "digest"))
    var sha256: String?

    @Option(
        help: ArgumentHelp(
            "A header field of the request, such as 'Authorization: Bearer ...'. Can be repeated.",
            valueName: "field"))
    var header: [String] = []

    @OptionGroup var stream: StreamOptions

    @Flag(help: "Wait while the network is metered, such as that of a mobile phone.")
    var unmetered = false

    @Flag(help: "End at once, and let the downloads go on in the background.")
    var noWait = false

    /// Returns the header fields; throws `ValidationError` for an invalid one.
    func fields() throws -> [HeaderField] {
        try header.map { text in
            let parts = text.split(separator: ":", maxSplits: 1)
            let value = parts.last.map { $0.drop { $0 == " " } } ?? ""
            guard parts.count == 2 else { throw ValidationError("'\(text)' is not a header field 'Name: value'.") }
            // Whatever a user adds may be a secret: the field is not sent to another server and is not logged.
            let field = HeaderField(String(parts[0]), String(value), isSecret: true)
            if let fault = field.fault { throw ValidationError("\(fault).") }
            return field
        }
    }

    func validate() throws {
        guard !urls.isEmpty else { throw ValidationError("Name at least one address.") }
        if name != nil, urls.count > 1 { throw ValidationError("--name is valid only with one address.") }
        if let name, ["", ".", ".."].contains(name) || name.contains("/") {
            throw ValidationError("--name must be a file name without a folder; use --to for the folder.")
        }
        for url in urls {
            let lowercased = url.lowercased()
            guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else {
                throw ValidationError("'\(url)' is not an http or https address.")
            }
        }
        if let sha256 {
            guard urls.count == 1, stream.preferences(for: urls[0]) == nil else {
                throw ValidationError("--sha256 is valid only with one address, and not with a stream.")
            }
            guard ContentDigest(hexadecimal: sha256) != nil else {
                throw ValidationError("'\(sha256)' is not a SHA-256 digest of 64 hexadecimal digits.")
            }
        }
        _ = try fields()
    }

    func run() throws {
        let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        let directory: SharedDescriptor
        do throws(FolderError) {
            directory = try Self.openFolder(to)
        } catch {
            reportTransferError(error.description)
            throw ExitCode(1)
        }
        let client: TransferClient
        var ids: Set<Int64> = []
        do {
            client = try TransferClient()
            try start(client, in: directory, &ids)
        } catch {
            reportTransferError("\(error)")
            if !ids.isEmpty { print("The started downloads go on in the background. See: swiftplay transfers") }
            throw ExitCode(1)
        }
        guard !noWait else { return }
        var progress = TransferProgress()
        let result: [TaskSnapshot]?
        do throws(BackgroundLinkError) {
            result = try progress.show(client, signals, ids) { $0.activity.phase.isTerminal }
        } catch {
            reportTransferError("\(error); the downloads go on once `swiftplay transfers` has started the service")
            throw ExitCode(1)
        }
        guard let ended = result else {
            print("The downloads go on in the background. See: swiftplay transfers")
            throw ExitCode(4)
        }
        if ended.count < ids.count {
            reportTransferError("the background service no longer knows some downloads; check the files in \(to)")
        }
        if ended.count < ids.count || ended.contains(where: { $0.activity.phase != .finished }) { throw ExitCode(3) }
    }

    /// Opens the folder of the files. Creates a missing folder, but not its parent folders.
    static func openFolder(_ path: String) throws(FolderError) -> SharedDescriptor {
        let flags = O_RDONLY | O_DIRECTORY
        do throws(SystemCallError) {
            return SharedDescriptor(try FileDescriptor(opening: path, flags: flags))
        } catch {
            guard error.number == ENOENT else { throw FolderError(path: path, action: "opened", error) }
        }
        // Another process may create the folder at the same moment.
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw FolderError(path: path, action: "created", SystemCallError(call: "mkdir", number: errno))
        }
        do throws(SystemCallError) {
            return SharedDescriptor(try FileDescriptor(opening: path, flags: flags))
        } catch { throw FolderError(path: path, action: "opened", error) }
    }

    /// Starts the downloads and adds their keys to `ids`, one by one until an error.
    private func start(_ client: TransferClient, in directory: SharedDescriptor, _ ids: inout Set<Int64>) throws {
        let session = try client.attach(isUnmetered: unmetered)
        if !noWait { client.follow() }
        let earlier = try client.list(), folder = FilePath(to)?.resolved?.text ?? to
        for url in urls {
            // Other header fields may lead to another content, and the options of streams to other parts.
            if header.isEmpty, sha256 == nil, stream.preferences(for: url) == nil,
                let download = try unfinishedDownload(of: url, to: folder, in: earlier)
            {
                try client.perform(.resume(task: download.id))
                ids.insert(download.id)
                continue
            }
            var request = TaskRequest(
                uuid: (0..<16).map { _ in .random(in: 0...255) },
                request: TransferRequest(address: url, fields: try fields(), allowsInsecureHTTP: true))
            request.hasDirectory = true
            request.fileName = name ?? ""
            request.digest = sha256.flatMap { ContentDigest(hexadecimal: $0) }
            request.stream = stream.preferences(for: url)
            ids.insert(try client.start(request, in: directory, session: session))
        }
    }

    /// Returns the download that this command continues; nil if it begins another one.
    ///
    /// - Throws: ``BackgroundLinkError`` if the unfinished download may use networks that this command excludes.
    private func unfinishedDownload(
        of url: String, to folder: String, in earlier: [TaskSnapshot]
    ) throws(BackgroundLinkError) -> TaskSnapshot? {
        let choices = unmetered ? [true, false] : [false]
        for isUnmetered in choices {
            guard
                let download = TransferClient.unfinishedDownload(
                    of: url, to: folder, named: name, isUnmetered: isUnmetered, in: earlier)
            else { continue }
            guard isUnmetered == unmetered else {
                throw BackgroundLinkError(
                    "the unfinished download of \(url) may use metered networks; "
                        + "omit --unmetered, or cancel it first: swiftplay transfers cancel \(download.id)")
            }
            return download
        }
        return nil
    }
}

/// The reason why the folder of downloads cannot be used.
struct FolderError: Error, Equatable, CustomStringConvertible {
    /// The message for the user.
    let description: String

    /// Creates an error.
    ///
    /// - Parameter action: What failed, as a participle such as `opened`.
    init(path: String, action: String, _ error: SystemCallError) {
        let remedy = action == "created" && error.number == ENOENT ? "; create the folder that contains it first" : ""
        description = "the folder \(path) cannot be \(action): \(error.reason)\(remedy)"
    }
}

/// Prints a message about an error of a command for transfers.
func reportTransferError(_ message: String) {
    let bytes = Array("swiftplay: \(message)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
