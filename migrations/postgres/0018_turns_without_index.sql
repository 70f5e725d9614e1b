-- Every move wrote this index twice, and with it each seat's entry in the others. The boards that wait for somebody are
-- among those that he plays now.
DROP INDEX seats_to_move;
-- With room in its page, and in no index, a seat that is to move or has moved is written there alone.
ALTER TABLE seats SET (fillfactor = 80);
