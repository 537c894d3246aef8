import Dispatch
import FoundationEssentials
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct AssetTests {
    @Test func assetLoadsPropertiesWithoutAPlayer() async throws {
        let item = PlayerItem(location: try Fixtures.path("tracks.mkv"))
        if case .notYetLoaded = item.asset.status(of: .duration) {
        } else {
            Issue.record("the property is loaded before any request")
        }
        let (duration, tracks, isPlayable) = try await item.asset.load(.duration, .tracks, .isPlayable)
        #expect(abs(duration.seconds - 20) < 0.1 && isPlayable)
        #expect(tracks.map(\.mediaType) == [.video, .audio, .audio, .subtitle, .subtitle])
        #expect(tracks.map(\.extendedLanguageTag) == [nil, "en", "de", "en", "de"])
        #expect(tracks[0].naturalSize == VideoSize(width: 640, height: 360) && tracks[1].sampleRate == 48_000)
        #expect(try await item.asset.loadTracks(withMediaType: .audio).count == 2)
        if case .loaded(let loadedDuration) = item.asset.status(of: .duration) {
            #expect(loadedDuration == duration)
        } else {
            Issue.record("the property is not loaded")
        }
        #expect(item.status == .unknown, "the item was opened although no player has it")
    }

    @Test func aFileURLMayNameAPathThatIsNotUTF8() async throws {
        let folder = try TemporaryDirectory()
        let path = try #require(FilePath(bytes: Array(folder.file("lat").utf8) + [0xE4, 0x20]))
        let original = try Fixtures.path("silent.mp4")
        #expect(path.withCString { symlink(original, $0) } == 0)
        let url = try #require(URL(string: "file://\(folder.path)/lat%E4%20"))
        let asset = Asset(url: url)
        #expect(asset.location.hasSuffix("/lat%E4%20") && PlayerItem(url: url).displayedName == "lat\u{FFFD} ")
        #expect(try await asset.load(.isPlayable))
        #expect(try await Asset(location: url.absoluteString).load(.isPlayable))
        #expect(Asset(url: URL(fileURLWithPath: "/a b%/ä.mp4")).location == "/a b%/ä.mp4")
        #expect(Asset(url: try #require(URL(string: "https://h/a%20b"))).location == "https://h/a%20b")
    }

    @Test func metadataAndChaptersAreLoadedAndImageGeneratorsShareTheAsset() async throws {
        let asset = Asset(location: try Fixtures.path("chapters.mkv"))
        let (metadata, chapters) = try await asset.load(.metadata, .chapters)
        #expect(metadata.first { $0.key == "artist" }?.stringValue == "Nobody")
        #expect(chapters.map(\.title) == ["One", "Two", "Three"])
        let generator = ImageGenerator(asset: asset)
        let duration = try await generator.asset.load(.duration)
        #expect(try await generator.image(at: MediaTime(seconds: duration.seconds / 2)).image.width == 640)
        let secondGenerator = ImageGenerator(location: asset.location)
        _ = try await secondGenerator.image(at: .zero)
        if case .loaded = secondGenerator.asset.status(of: .duration) {
        } else {
            Issue.record("the generator did not share its properties with the asset")
        }
    }

    @Test func concurrentLoadRequestsOpenTheFileOnce() async throws {
        // A pipe can be read once: a second opening would wait forever for a second writer.
        let pipe = try NamedPipe(of: Fixtures.path("count30.mkv"))
        let asset = Asset(location: pipe.path)
        let tasks = (0..<50).map { _ in Task { try await asset.load(.tracks) } }
        try pipe.startWriting()
        for task in tasks {
            #expect(try await task.value.first?.naturalSize == VideoSize(width: 640, height: 360))
        }
        pipe.close()
    }

    @Test(arguments: ["text.mp4", "missing.mp4", "tracks.fr.srt"])
    func loadingAnUnreadableFileThrowsItsError(_ name: String) async throws {
        let asset = Asset(location: Fixtures.directory + "/" + name)
        for _ in 0..<2 { await #expect(throws: PlaybackError.self) { try await asset.load(.duration) } }
        guard case .failed(let error) = asset.status(of: .tracks) else { throw TestFailure("loading did not fail") }
        #expect(error.code == (name == "missing.mp4" ? .notFound : .notMedia))
    }

    @Test func tracksWithoutADecoderAreListedAndNotPlayable() async throws {
        let asset = Asset(location: try Fixtures.path("unsupported.mp4"))
        let (tracks, isPlayable) = try await asset.load(.tracks, .isPlayable)
        #expect(tracks.contains { !$0.isPlayable })
        #expect(isPlayable == tracks.contains { $0.isPlayable && $0.mediaType != .subtitle })
    }

    /// The server accepts connections and sends nothing.
    @Test func loadRequestToASilentServerCanBeCancelledAndRepeated() async throws {
        let server = try UnresponsiveServer()
        let asset = Asset(location: "http://127.0.0.1:\(server.port)/film.mp4")
        for _ in 0..<2 {
            let durationTask = Task { try await asset.load(.duration) }
            let tracksTask = Task { try await asset.load(.tracks) }
            try await server.accept()
            if case .loading = asset.status(of: .duration) {
            } else {
                Issue.record("the property is not loading")
            }
            durationTask.cancel()
            await #expect(throws: CancellationError.self) { try await durationTask.value }
            if case .loading = asset.status(of: .duration) {
            } else {
                Issue.record("cancelling one task stopped the request of the other")
            }
            asset.cancelLoading()
            await #expect(throws: CancellationError.self) { try await tracksTask.value }
            if case .notYetLoaded = asset.status(of: .duration) {
            } else {
                Issue.record("the property is still loading")
            }
        }
        let lastTask = Task { try await asset.load(.duration) }
        try await server.accept()
        lastTask.cancel()
        await #expect(throws: CancellationError.self) { try await lastTask.value }
        if case .notYetLoaded = asset.status(of: .duration) {
        } else {
            Issue.record("cancelling the last task did not stop the opening")
        }
    }

    @Test func playerLoadsTheAssetOfItsItem() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("short.mp4"))
            let fixture = try PlayerFixture([item])
            try fixture.wait(for: "itemReady")
            if case .loaded = item.asset.status(of: .duration) {
            } else {
                Issue.record("the asset is not loaded")
            }
            #expect(item.copy().asset === item.asset)
        }
    }

    @Test(arguments: [
        "count30.mp4", "anamorphic.mp4", "tall.mp4", "turned.mp4", "aperture.mp4", "dvd.mpg", "cover.m4a",
    ])
    func presentationSizeIsKnownWhenTheItemIsReady(_ name: String) async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path(name)), sizeAtReady = Monitor<[Int]?>(nil)
            let fixture = try PlayerFixture()
            let observerNumber = fixture.player.core.addObserver { event in
                guard case .itemReady(let readyItem) = event else { return }
                sizeAtReady.update {
                    $0 = [readyItem.presentationSize.width, readyItem.presentationSize.height]
                }
            }
            fixture.player.insert(item, after: nil)
            try fixture.waitForFrames(1)
            let presentationSize = try #require(sizeAtReady.withLock { $0 })
            let frameSize = try #require(fixture.firstFrame?.format.displaySize)
            #expect(presentationSize == [frameSize.width, frameSize.height])
            #expect(item.presentationSize == VideoSize(width: frameSize.width, height: frameSize.height))
            #expect(fixture.count("presentationSizeChanged") == 1)
            fixture.player.core.removeObserver(observerNumber)
        }
    }

    @Test func presentationSizeChangeDuringPlaybackIsReported() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("sizes.h264")
            fixture.player.play()
            try fixture.wait(for: "presentationSizeChanged", times: 2)
            let size = try #require(fixture.player.currentItem?.presentationSize)
            #expect(size != .zero)
        }
    }
}

/// A named pipe that delivers a file's bytes once.
private final class NamedPipe: Sendable {
    /// The path of the pipe.
    let path: String
    /// The path of the file whose bytes the pipe delivers.
    private let file: String
    /// The thread that writes into the pipe; nil before ``startWriting()`` and after ``close()``.
    private let writer = Monitor<NamedThread?>(nil)

    init(of file: String) throws {
        self.file = file
        path = "/tmp/swiftplay-asset-\(getpid())-\(UInt32.random(in: 0 ... .max)).mkv"
        guard mkfifo(path, 0o600) == 0 else { throw TestFailure("mkfifo: \(errno)") }
    }

    /// Starts a thread that writes the file's bytes until all bytes are written or the reader closes the pipe.
    func startWriting() throws {
        let thread = try NamedThread("pipe") { [path, file] in
            let pipeDescriptor = FileDescriptor(owning: open(path, O_WRONLY | O_CLOEXEC))
            let fileDescriptor = FileDescriptor(owning: open(file, O_RDONLY | O_CLOEXEC))
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(fileDescriptor.raw, &bytes, bytes.count)
                guard count > 0, write(pipeDescriptor.raw, bytes, count) == count else { return }
            }
        }
        writer.withLock { $0 = thread }
    }

    /// Waits until the writing thread has ended, and deletes the pipe.
    func close() {
        writer.withLock { $0.take() }?.join()
        unlink(path)
    }
}

/// A server that hangs: a socket on the loopback interface whose connections are accepted and never answered.
private final class UnresponsiveServer: Sendable {
    /// The port at which the server listens.
    let port: UInt16
    /// The listening socket.
    private let listener: SharedDescriptor
    /// The accepted connections, which stay open.
    private let acceptedConnections = Monitor<[SharedDescriptor]>([])

    init() throws {
        listener = SharedDescriptor(
            FileDescriptor(
                owning: try systemCall("socket") {
                    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                }))
        var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let listeningDescriptor = listener.raw
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listeningDescriptor, $0, size) == 0 && listen(listeningDescriptor, 8) == 0
                    && getsockname(listeningDescriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw TestFailure("cannot listen: \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Waits for the next connection on a thread of the global dispatch queue: blocking a thread of Swift's cooperative
    /// pool could stop the task that connects to the server.
    func accept() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.acceptNextConnection() }) }
        }
    }

    /// Blocks until a connection arrives, and accepts it.
    private func acceptNextConnection() throws {
        var entries = [Poll.Entry(listener.raw)]
        try Poll.wait(&entries, until: Deadline.after(.seconds(60)))
        guard entries[0].ready != [] else { throw TestFailure("no connection arrived") }
        let rawDescriptor = try systemCall("accept") { Glibc.accept(listener.raw, nil, nil) }
        let connection = SharedDescriptor(FileDescriptor(owning: rawDescriptor))
        acceptedConnections.withLock { $0.append(connection) }
    }
}
