-- Every move wrote two pages of this index. The boards that wait for somebody are among those that he plays now.
DROP INDEX seats_to_move;
