import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests playback from network addresses: certificates, encrypted playlists and broken connections.
@Suite("Network")
struct NetworkTests {
    private static let options = ["--vo=null", "--ao=null", "--untimed"]

    @Test(
        "a server with an invalid certificate is refused, and the message gives the reason",
        arguments: [("self-signed", "self-signed"), ("expired", "expired"), ("wrong-host", "another host name")])
    func invalidCertificateIsRefused(name: String, reason: String) async throws {
        try await TestEnvironment.runExclusively {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path(name))
            let player = try RunningPlayer(
                server.address + "/short.mp4", options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains(reason), "\(player.child.errors.text)")
        }
    }

    @Test("without --tls-ca-file a certificate of an unknown authority is refused")
    func certificateOfUnknownAuthorityIsRefused() async throws {
        try await TestEnvironment.runExclusively {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("proper"))
            let player = try RunningPlayer(server.address + "/short.mp4", options: Self.options)
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains("issuer is unknown"), "\(player.child.errors.text)")
        }
    }

    @Test("a valid certificate is accepted; --tls-verify=no accepts every certificate", arguments: [true, false])
    func validCertificateOrDisabledVerificationIsAccepted(isValid: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let certificates = try Certificates()
            let server = try FilmServer(
                folder: Fixtures.directory, certificate: certificates.path(isValid ? "proper" : "self-signed"))
            let option = isValid ? "--tls-ca-file=\(certificates.path("ca")).pem" : "--tls-verify=no"
            let player = try RunningPlayer(server.address + "/short.mp4", options: Self.options + [option])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1"))
        }
    }

    @Test(
        "a redirect to a server with an invalid certificate is refused, and the message gives the reason",
        arguments: [false, true])
    func redirectToInvalidCertificateIsRefused(isFirstServerSecure: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("expired"))
            let redirectingServer = try FilmServer(
                folder: Fixtures.directory, certificate: isFirstServerSecure ? certificates.path("proper") : nil,
                redirect: server.address)
            let player = try RunningPlayer(
                redirectingServer.address + "/short.mp4",
                options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains("expired"), "\(player.child.errors.text)")
            #expect(!server.log.text.contains("short.mp4"), "the refused server was sent a request")
        }
    }

    @Test("behind a proxy the message names the invalid certificate as the reason")
    func invalidCertificateBehindAProxyIsRefused() async throws {
        try await TestEnvironment.runExclusively {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("self-signed"))
            let proxy = try ConnectProxy()
            let player = try RunningPlayer(
                files: [server.address + "/short.mp4"], Self.options, nil, ["https_proxy": proxy.address])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(
                player.child.errors.text.contains("certificate of 127.0.0.1 is not trusted: it is self-signed"),
                "\(player.child.errors.text)")
            #expect(proxy.log.text.contains("CONNECT"), "\(proxy.log.text)")
        }
    }

    @Test("segments on a server with an invalid certificate are refused", arguments: [0, 2])
    func segmentsBehindAnInvalidCertificateAreRefused(firstUntrustedSegment: Int) async throws {
        try await TestEnvironment.runExclusively {
            let certificates = try Certificates(), scratch = try TemporaryDirectory()
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-i", try Fixtures.path("count30.ts"), "-c", "copy", "-f", "hls", "-hls_time", "4",
                    "-hls_list_size", "0",
                    scratch.file("film.m3u8"),
                ])
            let untrustedServer = try FilmServer(folder: scratch.path, certificate: certificates.path("self-signed"))
            var list = try scratch.text("film.m3u8")
            for number in firstUntrustedSegment..<5 {
                list = list.replacingOccurrences(
                    of: "film\(number).ts", with: "\(untrustedServer.address)/film\(number).ts")
            }
            try Data(list.utf8).write(to: URL(fileURLWithPath: scratch.file("film.m3u8")))
            let server = try FilmServer(folder: scratch.path, certificate: certificates.path("proper"))
            let player = try RunningPlayer(
                server.address + "/film.m3u8", options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            let exitCode: Int32 = firstUntrustedSegment == 0 ? 2 : 5
            #expect(try player.child.waitForExit(within: .seconds(60)).reason == .exited(exitCode))
            #expect(player.child.errors.text.contains("self-signed"), "\(player.child.errors.text)")
            #expect(!untrustedServer.log.text.contains("film"), "the refused server was sent a request")
        }
    }

    @Test("an encrypted segment of a network playlist cannot be a local file")
    func networkPlaylistCannotReadLocalFiles() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), clip = try Fixtures.path("count30.ts")
            try Data((0..<16).map { UInt8($0) }).write(to: URL(fileURLWithPath: scratch.file("film.key")))
            let list =
                "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:20\n#EXT-X-KEY:METHOD=AES-128,URI=\"film.key\"\n"
                + "#EXTINF:20,\nfile://\(clip)\n#EXT-X-ENDLIST\n"
            try Data(list.utf8).write(to: URL(fileURLWithPath: scratch.file("film.m3u8")))
            let server = try FilmServer(folder: scratch.path)
            let player = try RunningPlayer(server.address + "/film.m3u8", options: Self.options)
            #expect(try player.child.waitForExit().reason == .exited(2))
        }
    }

    @Test(
        "without a Content-Length the film ends with the response; if the container is longer, playback fails",
        arguments: [false, true])
    func filmWithoutContentLengthEndsWithTheResponse(isCut: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let server = try FilmServer(
                folder: Fixtures.directory, cutsAtHalf: isCut, allowsRanges: false, sendsContentLength: false)
            let player = try RunningPlayer(server.address + "/count30.mkv", options: Self.options)
            #expect(
                try player.child.waitForExit(within: .seconds(60)).reason == .exited(isCut ? 5 : 0),
                "\(player.child.errors.text)")
        }
    }

    @Test("every frame of an encrypted HLS playlist is played, from disk and from a server", arguments: [false, true])
    func everyFrameOfAnEncryptedPlaylistIsPlayed(isRemote: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), clip = try Fixtures.path("count30.ts")
            try Data((0..<16).map { UInt8($0 * 7 + 1) }).write(to: URL(fileURLWithPath: scratch.file("film.key")))
            try Data("film.key\n\(scratch.file("film.key"))\n".utf8).write(
                to: URL(fileURLWithPath: scratch.file("info")))
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-i", clip, "-c", "copy", "-f", "hls", "-hls_time", "4", "-hls_list_size", "0",
                    "-hls_key_info_file", scratch.file("info"), scratch.file("film.m3u8"),
                ])
            let streamChecksumPath = scratch.file("sums"), clipChecksumPath = scratch.file("plain")
            let server = isRemote ? try FilmServer(folder: scratch.path) : nil
            let address = server.map { $0.address + "/film.m3u8" } ?? scratch.file("film.m3u8")
            for (file, checksumPath) in [(address, streamChecksumPath), (clip, clipChecksumPath)] {
                let player = try RunningPlayer(
                    files: [file], Self.options + ["--frame-checksums=\(checksumPath)"], nil, [:])
                #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            }
            func pictureChecksums(_ name: String) throws -> [Substring] {
                try scratch.text(name).split(separator: "\n").compactMap { $0.split(separator: ",").last }
            }
            #expect(try pictureChecksums("sums").count == 600)
            #expect(try pictureChecksums("sums") == pictureChecksums("plain"))
        }
    }

    @Test("if a connection breaks, the rest is fetched over a new one", arguments: [0, 2])
    func brokenConnectionIsReplaced(busyReplyCount: Int) async throws {
        try await TestEnvironment.runExclusively {
            let server = try FilmServer(folder: Fixtures.directory, cutsAtHalf: true, busyReplyCount: busyReplyCount)
            let player = try RunningPlayer(server.address + "/count30.mkv", options: Self.options)
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: 600 frames"), "\(player.child.output.text)")
        }
    }

    @Test(
        "if the rest cannot be fetched, the film ends with an error and exit code 5",
        arguments: ["count30.mkv", "count30.mp4", "count30.ts"])
    func permanentlyBrokenConnectionEndsPlaybackWithAnError(name: String) async throws {
        try await TestEnvironment.runExclusively {
            let server = try FilmServer(folder: Fixtures.directory, cutsAtHalf: true, allowsRanges: false)
            let player = try RunningPlayer(server.address + "/" + name, options: ["--vo=null", "--ao=null", "--pause"])
            let ipc = try player.ipc
            try ipc.setProperty("speed", 8)
            try ipc.setProperty("pause", false)
            let endEvent = try ipc.waitForEvent("end-file", within: .seconds(60))
            #expect(endEvent["reason"]?.string == "error", "\(endEvent)")
            #expect(try player.child.waitForExit().reason == .exited(5))
            #expect(player.child.errors.text.contains("ended early"), "\(player.child.errors.text)")
        }
    }

    @Test("a clip of 20 s from the network is read completely while paused")
    func networkStreamIsReadCompletelyWhilePaused() async throws {
        try await TestEnvironment.runExclusively {
            let server = try FilmServer(folder: Fixtures.directory)
            let player = try RunningPlayer(
                server.address + "/count30.mp4", options: ["--vo=null", "--ao=null", "--pause"])
            #expect(server.log.wait(for: "whole /count30.mp4"), "\(server.log.text)")
            try player.quit()
        }
    }
}
