import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Films that come from addresses: whom they are taken from, encrypted ones, and connections that break.
@Suite("Network")
struct NetworkTests {
    private static let options = ["--vo=null", "--ao=null", "--untimed"]

    @Test(
        "a server whose certificate is not valid is refused, and the reason is said",
        arguments: [("self-signed", "self-signed"), ("expired", "expired"), ("wrong-host", "another host name")])
    func refusedCertificate(name: String, reason: String) async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path(name))
            let player = try RunningPlayer(
                server.address + "/short.mp4", options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains(reason), "\(player.child.errors.text)")
        }
    }

    @Test("an authority that the system does not know is refused without an option")
    func unknownAuthority() async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("proper"))
            let player = try RunningPlayer(server.address + "/short.mp4", options: Self.options)
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains("issuer is unknown"), "\(player.child.errors.text)")
        }
    }

    @Test("a valid certificate is accepted, and with --tls-verify=no every certificate is", arguments: [true, false])
    func acceptedCertificate(isValid: Bool) async throws {
        try await Desk.alone {
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
        "a redirect to a server whose certificate is not valid is refused, and the reason is said",
        arguments: [false, true])
    func refusedCertificateAfterRedirect(isSecureBefore: Bool) async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("expired"))
            let first = try FilmServer(
                folder: Fixtures.directory, certificate: isSecureBefore ? certificates.path("proper") : nil,
                redirect: server.address)
            let player = try RunningPlayer(
                first.address + "/short.mp4", options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains("expired"), "\(player.child.errors.text)")
            #expect(!server.log.text.contains("short.mp4"), "the refused server was sent a request")
        }
    }

    @Test("behind a proxy a certificate that is not valid is named as the reason")
    func refusedCertificateBehindProxy() async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("self-signed"))
            let proxy = try ConnectProxy()
            let player = try RunningPlayer(
                files: [server.address + "/short.mp4"], Self.options, nil, ["http_proxy": proxy.address])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(
                player.child.errors.text.contains("certificate of 127.0.0.1 is not accepted"),
                "\(player.child.errors.text)")
            #expect(proxy.log.text.contains("CONNECT"), "\(proxy.log.text)")
        }
    }

    @Test("segments on a server whose certificate is not valid are refused", arguments: [0, 2])
    func refusedCertificateOfSegment(first: Int) async throws {
        try await Desk.alone {
            let certificates = try Certificates(), scratch = try Scratch()
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-i", try Fixtures.path("count30.ts"), "-c", "copy", "-f", "hls", "-hls_time", "4",
                    "-hls_list_size", "0",
                    scratch.file("film.m3u8"),
                ])
            let bad = try FilmServer(folder: scratch.path, certificate: certificates.path("self-signed"))
            var list = try scratch.text("film.m3u8")
            for number in first..<5 {
                list = list.replacingOccurrences(of: "film\(number).ts", with: "\(bad.address)/film\(number).ts")
            }
            try Data(list.utf8).write(to: URL(fileURLWithPath: scratch.file("film.m3u8")))
            let good = try FilmServer(folder: scratch.path, certificate: certificates.path("proper"))
            let player = try RunningPlayer(
                good.address + "/film.m3u8", options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            #expect(try player.child.waitForExit(within: .seconds(60)).reason == .exited(first == 0 ? 2 : 5))
            #expect(player.child.errors.text.contains("self-signed"), "\(player.child.errors.text)")
            #expect(!bad.log.text.contains("film"), "the refused server was sent a request")
        }
    }

    @Test("an encrypted segment of a playlist on the network may not be a local file")
    func refusedInnerAddress() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), clip = try Fixtures.path("count30.ts")
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
        "a film without a stated length ends where the server ends it, unless the container says it is longer",
        arguments: [false, true])
    func unstatedLength(isCut: Bool) async throws {
        try await Desk.alone {
            let server = try FilmServer(
                folder: Fixtures.directory, cutsAtHalf: isCut, allowsRanges: false, statesLength: false)
            let player = try RunningPlayer(server.address + "/count30.mkv", options: Self.options)
            #expect(
                try player.child.waitForExit(within: .seconds(60)).reason == .exited(isCut ? 5 : 0),
                "\(player.child.errors.text)")
        }
    }

    @Test("an encrypted HLS playlist plays whole, from disk and from a server", arguments: [false, true])
    func encryptedPlaylist(isRemote: Bool) async throws {
        try await Desk.alone {
            let scratch = try Scratch(), clip = try Fixtures.path("count30.ts")
            try Data((0..<16).map { UInt8($0 * 7 + 1) }).write(to: URL(fileURLWithPath: scratch.file("film.key")))
            try Data("film.key\n\(scratch.file("film.key"))\n".utf8).write(
                to: URL(fileURLWithPath: scratch.file("info")))
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-i", clip, "-c", "copy", "-f", "hls", "-hls_time", "4", "-hls_list_size", "0",
                    "-hls_key_info_file", scratch.file("info"), scratch.file("film.m3u8"),
                ])
            let sums = scratch.file("sums"), plain = scratch.file("plain")
            let server = isRemote ? try FilmServer(folder: scratch.path) : nil
            let address = server.map { $0.address + "/film.m3u8" } ?? scratch.file("film.m3u8")
            for (file, place) in [(address, sums), (clip, plain)] {
                let player = try RunningPlayer(files: [file], Self.options + ["--frame-checksums=\(place)"], nil, [:])
                #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            }
            func pictures(_ name: String) throws -> [Substring] {
                try scratch.text(name).split(separator: "\n").compactMap { $0.split(separator: " ").last }
            }
            #expect(try pictures("sums").count == 600)
            #expect(try pictures("sums") == pictures("plain"))
        }
    }

    @Test("where a connection breaks, the rest is fetched with another", arguments: [0, 2])
    func brokenConnection(busyAnswers: Int) async throws {
        try await Desk.alone {
            let server = try FilmServer(folder: Fixtures.directory, cutsAtHalf: true, busyAnswers: busyAnswers)
            let player = try RunningPlayer(server.address + "/count30.mkv", options: Self.options)
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: 600 frames"), "\(player.child.output.text)")
        }
    }

    @Test(
        "where the rest cannot be had, the film ends with an error and code 5",
        arguments: ["count30.mkv", "count30.mp4", "count30.ts"])
    func missingRest(name: String) async throws {
        try await Desk.alone {
            let server = try FilmServer(folder: Fixtures.directory, cutsAtHalf: true, allowsRanges: false)
            let player = try RunningPlayer(server.address + "/" + name, options: ["--vo=null", "--ao=null", "--pause"])
            let ipc = try player.ipc
            try ipc.setProperty("speed", 8)
            try ipc.setProperty("pause", false)
            let end = try ipc.waitForEvent("end-file", within: .seconds(60))
            #expect(end["reason"]?.string == "error", "\(end)")
            #expect(try player.child.waitForExit().reason == .exited(5))
            #expect(player.child.errors.text.contains("ended early"), "\(player.child.errors.text)")
        }
    }

    @Test("of an address up to half a minute is read ahead")
    func readAhead() async throws {
        try await Desk.alone {
            let server = try FilmServer(folder: Fixtures.directory)
            let player = try RunningPlayer(
                server.address + "/count30.mp4", options: ["--vo=null", "--ao=null", "--pause"])
            #expect(server.log.wait(for: "whole /count30.mp4"), "\(server.log.text)")
            try player.quit()
        }
    }
}
