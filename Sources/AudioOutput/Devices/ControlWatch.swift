import CALSA
import Glibc
import SystemCalls

/// Listens to the control of one card, or of a sound server: what is plugged in and out, and that it is gone. Made for
/// a poll loop.
///
/// `@unchecked Sendable`: handed over before it is first polled, and then used by one thread alone.
///
/// With a headphone jack the PCM goes on when it is pulled, and only the control tells. A server's control (`default`
/// with PulseAudio's plug-in) has no jacks: it tells of volumes, and that the server is gone; what moves between a
/// server's devices is heard of at the cards' own controls. Tried on a plug-in that stands in for a card, and on
/// PulseAudio's; not on real hardware.
package final class ControlWatch: @unchecked Sendable {
    package enum Event: Sendable, Equatable {
        case jack(name: String, isPlugged: Bool)
        /// Some other element has changed: a volume, say.
        case changed(name: String)
        /// The card or the server is gone: nothing more will come.
        case gone
    }

    package let control: String
    package let cardName: String
    /// The kernel's number of the card; what plug-ins say means nothing.
    package let card: Int?
    /// How it stood when it was opened.
    package private(set) var jacks: [SoundCard.Jack] = []
    package private(set) var isGone = false

    // Owned: made in `init`, freed in `deinit`.
    private let handle: OpaquePointer
    private let event: OpaquePointer
    private let identifier: OpaquePointer
    private let value: OpaquePointer
    private var descriptors: [pollfd] = []

    /// Opens a control (`hw:0`, `default`) for listening.
    package init(_ control: String) throws(AudioOutputError) {
        calsa_silence()
        var opened: OpaquePointer?
        let code = snd_ctl_open(&opened, control, SND_CTL_NONBLOCK | SND_CTL_READONLY)
        guard code >= 0, let handle = opened else {
            throw AudioOutputError(device: control, failure: PCMFailure(.open, code < 0 ? code : ENODEV))
        }
        var event: OpaquePointer?, identifier: OpaquePointer?, value: OpaquePointer?
        guard snd_ctl_event_malloc(&event) >= 0, snd_ctl_elem_id_malloc(&identifier) >= 0,
            snd_ctl_elem_value_malloc(&value) >= 0,
            let event, let identifier, let value
        else {
            snd_ctl_close(handle)
            throw AudioOutputError(device: control, failure: PCMFailure(.open, ENOMEM))
        }
        (self.control, self.handle, self.event, self.identifier, self.value) = (
            control, handle, event, identifier, value
        )
        let info = Self.info(handle)
        (cardName, card) = (info?.name ?? control, info?.card)
        let subscribed = snd_ctl_subscribe_events(handle, 1)
        guard subscribed >= 0 else { throw AudioOutputError(device: control, failure: PCMFailure(.open, subscribed)) }
        let count = snd_ctl_poll_descriptors_count(handle)
        descriptors = [pollfd](repeating: pollfd(), count: max(0, Int(count)))
        let filled = snd_ctl_poll_descriptors(handle, &descriptors, UInt32(descriptors.count))
        descriptors.removeLast(max(0, descriptors.count - max(0, Int(filled))))
        jacks = readJacks()
    }

    deinit {
        snd_ctl_close(handle)
        snd_ctl_event_free(event)
        snd_ctl_elem_id_free(identifier)
        snd_ctl_elem_value_free(value)
    }

    private static func info(_ handle: OpaquePointer) -> (name: String, card: Int)? {
        var info: OpaquePointer?
        guard snd_ctl_card_info_malloc(&info) >= 0, let info else { return nil }
        defer { snd_ctl_card_info_free(info) }
        guard snd_ctl_card_info(handle, info) >= 0, let name = snd_ctl_card_info_get_name(info) else { return nil }
        return (String(cString: name), Int(snd_ctl_card_info_get_card(info)))
    }

    /// What to poll for ``events(_:)``.
    package var entries: [Poll.Entry] {
        isGone ? [] : descriptors.map { Poll.Entry($0.fd, Poll.Events(rawValue: $0.events)) }
    }

    /// What has happened, with what polling ``entries`` said. Never waits.
    package func events(_ polled: ArraySlice<Poll.Entry>) -> [Event] {
        guard !isGone, polled.count == descriptors.count else { return [] }
        for (index, entry) in polled.enumerated() { descriptors[index].revents = entry.ready.rawValue }
        var ready: UInt16 = 0
        guard snd_ctl_poll_descriptors_revents(handle, &descriptors, UInt32(descriptors.count), &ready) >= 0 else {
            return lose([])
        }
        let state = Poll.Events(rawValue: Int16(bitPattern: ready))
        if state.isEmpty { return [] }
        var found: [Event] = []
        // Many changes at once say no more than the last of each: a bound, not a limit that is met.
        for _ in 0..<256 {
            let code = snd_ctl_read(handle, event)
            if code == -EINTR { continue }
            if code == -EAGAIN || code == 0 { break }
            if code < 0 { return lose(found) }
            if let event = taken() { found.append(event) }
        }
        return state.contains(.failed) || state.contains(.invalid) || state.contains(.hungUp) ? lose(found) : found
    }

    private func lose(_ events: [Event]) -> [Event] {
        isGone = true
        return events + [.gone]
    }

    /// The event that was read, in our words.
    private func taken() -> Event? {
        guard snd_ctl_event_get_type(event) == SND_CTL_EVENT_ELEM else { return nil }
        let mask = snd_ctl_event_elem_get_mask(event)
        snd_ctl_event_elem_get_id(event, identifier)
        guard mask != SND_CTL_EVENT_MASK_REMOVE, mask & UInt32(SND_CTL_EVENT_MASK_VALUE) != 0,
            let text = snd_ctl_elem_id_get_name(identifier)
        else { return nil }
        let name = String(cString: text)
        guard let index = jacks.firstIndex(where: { $0.name == name }) else { return .changed(name: name) }
        guard let isPlugged = isPlugged() else { return nil }
        jacks[index].isPlugged = isPlugged
        return .jack(name: name, isPlugged: isPlugged)
    }

    /// The state of the jack that ``identifier`` names.
    private func isPlugged() -> Bool? {
        snd_ctl_elem_value_set_id(value, identifier)
        guard snd_ctl_elem_read(handle, value) >= 0 else { return nil }
        return snd_ctl_elem_value_get_boolean(value, 0) != 0
    }

    /// What is set for all that is heard on it, 0 to 1 from the least to the most, and 0 while it is muted; nil where
    /// it has no such element. Of a server's control this waits for the server.
    package var volume: Float? {
        for name in ["Master", "PCM", "Speaker", "Headphone", "Digital"] {
            guard let levels = element("\(name) Playback Volume", SND_CTL_ELEM_TYPE_INTEGER),
                levels.least < levels.most, let level = levels.values.max()
            else { continue }
            let switches = element("\(name) Playback Switch", SND_CTL_ELEM_TYPE_BOOLEAN)
            if switches?.values.allSatisfy({ $0 == 0 }) == true { return 0 }
            return min(1, max(0, Float(level - levels.least) / Float(levels.most - levels.least)))
        }
        return nil
    }

    /// A mixer's element: from where to where it goes, and what each of its channels is set to; nil where there is none
    /// of that kind.
    private func element(_ name: String, _ type: snd_ctl_elem_type_t) -> (least: Int, most: Int, values: [Int])? {
        var info: OpaquePointer?
        guard snd_ctl_elem_info_malloc(&info) >= 0, let info else { return nil }
        defer { snd_ctl_elem_info_free(info) }
        snd_ctl_elem_info_set_interface(info, SND_CTL_ELEM_IFACE_MIXER)
        snd_ctl_elem_info_set_name(info, name)
        guard snd_ctl_elem_info(handle, info) >= 0, snd_ctl_elem_info_get_type(info) == type else { return nil }
        snd_ctl_elem_value_clear(value)
        snd_ctl_elem_value_set_interface(value, SND_CTL_ELEM_IFACE_MIXER)
        snd_ctl_elem_value_set_name(value, name)
        guard snd_ctl_elem_read(handle, value) >= 0 else { return nil }
        let channels = 0..<min(snd_ctl_elem_info_get_count(info), 32)
        guard type == SND_CTL_ELEM_TYPE_INTEGER else {
            return (0, 1, channels.map { Int(snd_ctl_elem_value_get_boolean(value, $0)) })
        }
        return (
            snd_ctl_elem_info_get_min(info), snd_ctl_elem_info_get_max(info),
            channels.map { snd_ctl_elem_value_get_integer(value, $0) }
        )
    }

    private func readJacks() -> [SoundCard.Jack] {
        var list: OpaquePointer?
        guard snd_ctl_elem_list_malloc(&list) >= 0, let list else { return [] }
        defer { snd_ctl_elem_list_free(list) }
        guard snd_ctl_elem_list(handle, list) >= 0 else { return [] }
        let count = min(snd_ctl_elem_list_get_count(list), 4096)
        guard count > 0, snd_ctl_elem_list_alloc_space(list, count) >= 0 else { return [] }
        defer { snd_ctl_elem_list_free_space(list) }
        guard snd_ctl_elem_list(handle, list) >= 0 else { return [] }
        return (0..<snd_ctl_elem_list_get_used(list)).compactMap { index in
            guard snd_ctl_elem_list_get_interface(list, index) == SND_CTL_ELEM_IFACE_CARD,
                let text = snd_ctl_elem_list_get_name(list, index)
            else { return nil }
            let name = String(cString: text)
            guard name.hasSuffix("Jack") else { return nil }
            snd_ctl_elem_list_get_id(list, index, identifier)
            return isPlugged().map { SoundCard.Jack(name, isPlugged: $0) }
        }
    }
}
