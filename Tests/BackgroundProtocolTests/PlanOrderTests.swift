import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct PlanOrderTests {
    @Test(arguments: ["video.m3u8", "audio-1", "media-key-12.key", "a", "0.ts", String(repeating: "a", count: 64)])
    func namesOfNumbersAreValid(_ name: String) { #expect(PlannedResource.isValidName(name)) }

    @Test(arguments: [
        "", ".", "..", ".ts", "a.", "a..ts", "a.b.c", "../a", "a/b", "A.ts", "a b", "-a", "ä.ts", "a\0", "a\n",
        String(repeating: "a", count: 65),
    ])
    func otherNamesAreRejected(_ name: String) {
        #expect(!PlannedResource.isValidName(name))
        let event = EngineEvent.planned(transfer: 1, [PlannedResource(isPlaylist: false, address: "a", name: name)])
        #expect(throws: MalformedMessage.self) { try EngineEvent(decoding: event.encoded) }
    }

    @Test(arguments: [(-1 as Int64, 0 as Int64), (0, -1), (.max, 0), (0, .max)])
    func timesOutOfRangeAreRejected(_ start: Int64, _ duration: Int64) {
        let resource = PlannedResource(isPlaylist: false, address: "a", name: "a", start: start, duration: duration)
        #expect(resource.fault == "the time of a resource is out of range")
        #expect(throws: MalformedMessage.self) {
            try EngineEvent(decoding: EngineEvent.planned(transfer: 1, [resource]).encoded)
        }
    }

    @Test(arguments: ["", "a\nb", String(repeating: "a", count: 8193)])
    func faultyAddressesAreRejected(_ address: String) {
        #expect(PlannedResource(isPlaylist: false, address: address, name: "a").fault != nil)
        let order = PlanOrder(
            transfer: 1, address: address, prefix: nil, isMain: true, preferences: StreamPreferences())
        #expect(throws: MalformedMessage.self) { try EngineCommand.plan(order).encoded() }
    }

    @Test func aFaultyStartOfTheNamesIsNotSent() {
        let order = PlanOrder(
            transfer: 1, address: "a", prefix: "../a", isMain: true, preferences: StreamPreferences())
        #expect(throws: MalformedMessage.self) { try EngineCommand.plan(order).encoded() }
    }

    @Test func aMessageOfTheMostResourcesIsSentAndRead() throws {
        let resources = (0..<PlannedResource.messageLimit).map {
            PlannedResource(isPlaylist: false, address: "https://example.org/\($0)", name: "video-\($0).ts")
        }
        let event = EngineEvent.planned(transfer: 1, resources)
        #expect(try EngineEvent(decoding: event.encoded) == event)
        #expect(event.encoded.count <= EngineLimits.messageBytes)
    }
}
