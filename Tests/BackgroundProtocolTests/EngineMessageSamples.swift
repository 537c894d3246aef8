import BackgroundProtocolSamples
import TransferPolicy

@testable import BackgroundProtocol

/// Sample messages for the tests: at least one of each kind, and several of a kind that has variants.
enum EngineMessageSamples {
    /// An order whose values all differ from their defaults.
    static let order: TransferOrder = {
        var order = orderWithoutDigest
        order.digest = ContentDigest((0..<32).map { $0 })
        return order
    }()

    private static let orderWithoutDigest = TransferOrder(
        transfer: 7,
        request: TransferRequest(
            address: "https://example.org/a?b=ä", method: "PUT",
            fields: [
                HeaderField("Accept", "*/*"), HeaderField("Authorization", "Bearer x", isSecret: true),
                HeaderField("X-Empty", ""),
            ],
            allowsInsecureHTTP: true),
        held: HeldContent(
            length: 4096, total: 1 << 40,
            validators: ContentValidators(
                entityTag: "W/\"1\"", lastModified: "Sat, 28 Nov 2026 00:00:00 GMT", date: "now"),
            mediaType: "video/mp4"),
        limits: TransferLimits(lowSpeed: 1, lowSpeedTime: 2, connectTime: 3, rate: .max, contentLength: 5),
        quirks: [.hasNoRanges], isDiscretionary: true, descriptors: [.part, .errorPage, .upload, .trustedRoots])

    /// A response whose values all differ from their defaults.
    static let response = EngineResponse(
        status: 206, use: .rest, address: "https://example.org/b", permanentAddress: "https://example.org/c",
        offset: 4096, total: 8192, validators: ContentValidators(entityTag: "\"x\""), isResumable: true,
        mediaType: "audio/ogg", suggestedName: "../ä.ogg", fields: [HeaderField("Server", "nginx")])

    /// Messages from the ledger to the engine.
    static let commands: [EngineCommand] = [
        .hello(version: 1), .start(order), .start(TransferOrder(transfer: 1, request: TransferRequest(address: "a"))),
        .listen(
            ListenOrder(
                transfer: 8, request: TransferRequest(address: "https://ntfy.sh/a/json?since=1"), silence: 90)),
        .stop(transfer: .max), .limitRate(transfer: 3, bytesPerSecond: .max), .quit,
        .plan(
            PlanOrder(
                transfer: 5, address: "https://example.org/a.m3u8", prefix: "video", isMain: true,
                preferences: ClientMessageSamples.preferences)),
        .plan(
            PlanOrder(transfer: 5, address: "a", prefix: nil, isMain: false, preferences: StreamPreferences())),
    ]

    /// Messages from the engine to the ledger.
    static let events: [EngineEvent] =
        [
            .hello(version: .max), .connected(transfer: 1), .response(transfer: 2, response),
            .response(transfer: 2, EngineResponse(status: 200, use: .whole, address: "http://a/")),
            .progress(transfer: 3, length: .max), .uploadProgress(transfer: 4, sent: 0),
            .checkpoint(transfer: 5, durableLength: 1), .emptied(transfer: 6),
            .finished(transfer: 7, length: 9, status: 404), .stopped(transfer: 8, durableLength: 3),
            .listening(transfer: 8, isTruncated: true), .line(transfer: 8, [1, 0, 255]),
            .quirksObserved(host: "example.org", [.ignoresMatchingIfRange, .sendsWrongRanges]),
            .planned(transfer: 3, []),
            .planned(
                transfer: 4,
                [
                    PlannedResource(isPlaylist: true, address: "https://example.org/v.m3u8", name: "video.m3u8"),
                    PlannedResource(
                        isPlaylist: false, address: "https://example.org/1", name: "video-1.ts", start: 1 << 40,
                        duration: 4_000_000_000),
                ]),
        ]
        + EngineFailure.Kind.allCases.map {
            .failed(
                transfer: 9,
                EngineFailure(
                    $0, "full", code: -1, retryAfter: 60, closesHost: true, durableLength: 77, mayHaveLostBytes: true))
        } + [.failed(transfer: 10, EngineFailure(.network, ""))]
        + EngineResponse.Use.allCases.map {
            .response(transfer: 11, EngineResponse(status: 599, use: $0, address: ""))
        }
}
