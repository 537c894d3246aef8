import BackgroundProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct TransferTextTests {
    private static let hint = "; for a file, omit --stream, --quality, --audio-language and --subtitle-language"
    private static let notAPlaylist =
        "failed: the playlist of the stream cannot be used: line 1: "
        + "the text is not a playlist: it does not start with #EXTM3U"

    private func transfer(
        _ text: String, _ phase: TaskSnapshot.Phase = .failed, program: String = "swiftplay",
        address: String = "https://example.org/film.mp4"
    ) -> TaskSnapshot {
        TaskSnapshot(
            id: 7, session: 1, number: 1, program: program, identifier: "download", address: address, description: "",
            activity: TaskSnapshot.Activity(phase, text),
            file: TaskSnapshot.File(directory: "/films", name: "film.mp4", isKept: true), bytes: TaskSnapshot.Bytes())
    }

    @Test(
        "the failure of a file that was downloaded as a stream names the options",
        arguments: [
            notAPlaylist, "failed: the content has 9000000 bytes; at most 8388608 are permitted",
            "failed: the content has more than the permitted 8388608 bytes",
        ])
    func aFileInPlaceOfAStreamNamesTheOptions(_ text: String) {
        let transfer = transfer(text)
        #expect(TransferText.state(of: transfer) == text + Self.hint)
        #expect(TransferText.table(of: [transfer]).contains(text + Self.hint))
        #expect(TransferText.line(of: transfer, rate: nil, columns: 400).hasSuffix(text + Self.hint))
    }

    @Test func otherStatesNameNoOptions() {
        for transfer in [
            transfer("failed: the server answered with status 404"), transfer(Self.notAPlaylist, .waiting),
            transfer(Self.notAPlaylist, program: "org.example.films"),
            transfer(Self.notAPlaylist, address: "https://example.org/film.m3u8?token=1"),
        ] {
            #expect(TransferText.state(of: transfer) == transfer.activity.text)
        }
    }
}
